#include "server/live/live_stream.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/text.h"
#include "server/json.h"

namespace statmill {

LiveStream::LiveStream(LiveRequest request, LivePool& pool, Hooks hooks, uint64_t last_event)
    : request_(std::move(request)),
      hooks_(std::move(hooks)),
      sent_(request_.series.size() * kLiveSlots, 0),
      last_event_(last_event) {
  series_.reserve(request_.series.size());
  for (const std::string& name : request_.series) series_.push_back(pool.of(name));
}

std::string LiveStream::take() {
  MutexLock lock(mutex_);
  return std::exchange(buffer_, {});
}

bool LiveStream::send(std::string_view event, std::string_view data) {
  if (is_cut()) return false;
  {
    MutexLock lock(mutex_);
    if (buffer_.size() + event.size() + data.size() > kLiveBufferBytesMax) {
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
  // Keeps its rhythm, unless it is late by more than a whole turn.
  due_ = due_ + request_.every > now ? due_ + request_.every : now + request_.every;
  return true;
}

bool LiveStream::send_slots(const LiveTurn& turn) {
  std::string slots;
  for (size_t i = 0; i < series_.size(); ++i) {
    if (series_[i]->read(turn, request_)) append_series(slots, i, turn.table.tiers());
  }
  if (slots.empty()) return !is_cut();
  std::string data = "{\"now\":";
  append_number(data, static_cast<double>(turn.now.time_since_epoch().count()) / 1000);
  data.append(",\"slots\":[").append(slots).append("]}");
  return send("slots", data);
}

void LiveStream::append_series(std::string& out, size_t index, const Tiers& tiers) {
  LiveSlots& series = *series_[index];
  for (size_t k = 0; k < kLiveSlots; ++k) {
    const uint64_t digest = series.digest(k);
    if (digest == 0) continue;
    uint64_t& sent = sent_[index * kLiveSlots + static_cast<size_t>(series.slot(k)) % kLiveSlots];
    if (digest == sent) continue;
    sent = digest;
    if (!out.empty()) out.push_back(',');
    out.append("{\"i\":").append(std::to_string(index)).append(",").append(series.text(k, request_, tiers));
  }
}

}  // namespace statmill
