// LiveStream: one client of POST /api/v1/live, and what it has not read yet, as server-sent events.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "server/http/live_source.h"
#include "server/live/live_list.h"

namespace statmill {

// New annotations for streams, as the API answers them.
struct LiveEvents {
  uint64_t last = 0;                   // the id of the last one
  std::vector<std::string> data = {};  // JSON without line ends, by id
};
inline constexpr size_t kLiveEventsBytesMax = size_t{32} << 10;  // of one turn, about; the others follow

// take() and is_cut() are thread-safe; all else is confined to the hub's thread.
class LiveStream final : public LiveFeed {
 public:
  // `on_end` is called when the stream is destroyed, on any thread.
  struct Hooks {
    std::function<void()> wake;
    std::function<void()> on_end;
  };
  // `last_event`: the newest event that there is; the stream gets those after it.
  LiveStream(std::shared_ptr<LiveList> list, Hooks hooks, uint64_t last_event = 0)
      : list_(std::move(list)), hooks_(std::move(hooks)), last_event_(last_event) {}
  ~LiveStream() override { hooks_.on_end(); }

  std::string take() override;
  bool is_cut() const override { return is_cut_.load(std::memory_order_relaxed); }

  // Appends an event; `data` has no line end. Returns false if the client leaves too much: the stream is cut.
  bool send(std::string_view event, std::string_view data);
  // Appends the slots that have changed since the last call, if any have. Returns false if the stream is cut.
  // The first call sends all slots.
  bool send_slots(const LiveTurn& turn);
  // Appends events. Returns false if the stream is cut.
  bool send_events(const LiveEvents& events);
  uint64_t last_event() const { return last_event_; }
  // Returns true at the first call, and then once in each period of the list's `every`. The periods of all
  // streams begin together, so that they share the turns.
  bool is_due(SteadyTime now);
  SteadyTime due() const { return due_; }

 private:
  const std::shared_ptr<LiveList> list_;
  const Hooks hooks_;
  bool is_new_ = true;  // it has had no slots yet
  SteadyTime due_{};
  uint64_t last_event_;

  // Written by the hub's thread, read by the session's. Relaxed: it guards no other memory.
  std::atomic<bool> is_cut_{false};
  mutable Mutex mutex_;
  std::string buffer_ GUARDED_BY(mutex_);
  size_t largest_ GUARDED_BY(mutex_) = 0;  // the bytes of the largest event in `buffer_`
};

}  // namespace statmill
