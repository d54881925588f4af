// LiveSessions: the open connections of a listener, with a limit on their number.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace statmill {

// How many sessions may live at the same time. Copies share one count, so that several LiveSessions can share
// a limit. Thread-safe.
class SessionLimit {
 public:
  explicit SessionLimit(size_t max) : max_(max) {}

  size_t count() const { return count_->load(std::memory_order_relaxed); }
  bool has_room() const { return count() < max_; }

 private:
  template <class Session>
  friend class LiveSessions;

  size_t max_;
  // Written when a session begins or ends, read by all. Relaxed: it guards no other memory.
  std::shared_ptr<std::atomic<size_t>> count_ = std::make_shared<std::atomic<size_t>>(0);
};

// Thread-safe. Does not own the sessions: their pending operations do, and these may outlive this object.
template <class Session>
class LiveSessions {
 public:
  explicit LiveSessions(SessionLimit limit) : state_(std::make_shared<State>(std::move(limit))) {}

  // Constructs a session, which counts until it is destroyed. Does not check the limit: the acceptor calls
  // limit().has_room() first, and decides what becomes of a connection above it.
  template <class... Arguments>
  std::shared_ptr<Session> make(Arguments&&... arguments) {
    const std::shared_ptr<State> state = state_;
    state->limit.count_->fetch_add(1, std::memory_order_relaxed);
    const uint64_t id = state->next_id.fetch_add(1, std::memory_order_relaxed);
    const std::shared_ptr<Session> session(new Session(std::forward<Arguments>(arguments)...),
                                           [state, id](Session* ended) {
                                             delete ended;
                                             state->remove(id);
                                           });
    MutexLock lock(state->mutex);
    state->sessions.emplace(id, session);
    return session;
  }

  // Calls `call` with each session that has not ended, oldest first, without a lock held: to close them all,
  // for example.
  template <class Call>
  void for_each(Call call) const {
    for (const std::shared_ptr<Session>& session : state_->alive()) call(*session);
  }
  const SessionLimit& limit() const { return state_->limit; }

 private:
  // The destructor of each session uses it, too.
  struct State {
    explicit State(SessionLimit shared) : limit(std::move(shared)) {}

    void remove(uint64_t id) {
      {
        MutexLock lock(mutex);
        sessions.erase(id);
      }
      limit.count_->fetch_sub(1, std::memory_order_relaxed);
    }
    std::vector<std::shared_ptr<Session>> alive() {
      std::vector<std::shared_ptr<Session>> result;
      MutexLock lock(mutex);
      for (const auto& [id, session] : sessions) {
        if (auto shared = session.lock()) result.push_back(std::move(shared));
      }
      return result;
    }

    const SessionLimit limit;
    std::atomic<uint64_t> next_id{0};  // relaxed: only its uniqueness matters
    Mutex mutex;
    std::map<uint64_t, std::weak_ptr<Session>> sessions GUARDED_BY(mutex);
  };

  const std::shared_ptr<State> state_;
};

}  // namespace statmill
