#include "server/live/live_stream.h"

#include <algorithm>
#include <utility>

namespace statmill {

std::string LiveStream::take() {
  MutexLock lock(mutex_);
  largest_ = 0;
  return std::exchange(buffer_, {});
}

bool LiveStream::send(std::string_view event, std::string_view data) {
  if (is_cut()) return false;
  {
    MutexLock lock(mutex_);
    const size_t size = event.size() + data.size();
    largest_ = std::max(largest_, size);
    if (buffer_.size() + size - largest_ > kLiveBufferBytesMax) {
      buffer_.clear();
      is_cut_.store(true, std::memory_order_relaxed);
    } else {
      buffer_.append("event: ").append(event).append("\ndata: ").append(data).append("\n\n");
    }
  }
  hooks_.wake();
  return !is_cut();
}

bool LiveStream::send_events(const LiveEvents& events) {
  last_event_ = events.last;
  for (const std::string& data : events.data) {
    if (!send("event", data)) return false;
  }
  return !is_cut();
}

bool LiveStream::is_due(SteadyTime now) {
  if (now < due_) return false;
  const SteadyTime::duration every = list_->every();
  due_ = SteadyTime((now.time_since_epoch() / every + 1) * every);
  return true;
}

bool LiveStream::send_slots(const LiveTurn& turn) {
  if (std::exchange(is_new_, false)) {
    const std::string all = list_->all(turn);
    return all.empty() ? !is_cut() : send("slots", all);
  }
  const std::string& changes = list_->changes(turn);
  return changes.empty() ? !is_cut() : send("slots", changes);
}

}  // namespace statmill
