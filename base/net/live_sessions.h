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
#include "base/net/session_limit.h"

namespace statmill {

// Thread-safe. Does not own the sessions: their pending operations do, and these may outlive this object.
template <class Session>
class LiveSessions {
 public:
  explicit LiveSessions(SessionLimit limit) : state_(std::make_shared<State>(std::move(limit))) {}

  // Constructs a session, which has its place until it is destroyed. `place` is of limit(), or of a copy of
  // it.
  template <class... Arguments>
  std::shared_ptr<Session> make(SessionLimit::Place place, Arguments&&... arguments) {
    const std::shared_ptr<State> state = state_;
    // In a pointer, since a deleter must be copyable.
    auto shared_place = std::make_shared<SessionLimit::Place>(std::move(place));
    const uint64_t id = state->next_id.fetch_add(1, std::memory_order_relaxed);
    std::shared_ptr<Session> session(new Session(std::forward<Arguments>(arguments)...),
                                     [state, id, place = std::move(shared_place)](Session* ended) mutable {
                                       delete ended;
                                       state->remove(id);
                                       place.reset();
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
      MutexLock lock(mutex);
      sessions.erase(id);
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
