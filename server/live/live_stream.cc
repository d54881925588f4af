#include "server/live/live_stream.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/text.h"
#include "server/json.h"

namespace statmill {
namespace {

// A digest of a bucket in a slot; never 0. The finalizer of splitmix64 mixes the numbers.
uint64_t digest_of(Slot slot, const Bucket& bucket) {
  uint64_t digest = 0;
  for (const uint64_t part :
       {static_cast<uint64_t>(slot), bucket.count(), std::bit_cast<uint64_t>(bucket.sum()),
        std::bit_cast<uint64_t>(bucket.min()), std::bit_cast<uint64_t>(bucket.max())}) {
    digest += part + 0x9e3779b97f4a7c15;
    digest = (digest ^ (digest >> 30)) * 0xbf58476d1ce4e5b9;
    digest = (digest ^ (digest >> 27)) * 0x94d049bb133111eb;
    digest ^= digest >> 31;
  }
  return std::max<uint64_t>(1, digest);
}

void append_stat(JsonObject& out, Stat stat, const Bucket& bucket, int64_t step_s) {
  // The finest slots of events hold totals, which are the sums of a gauge's bucket.
  const auto number = stat_number(stat, bucket, Kind::kGauge, step_s, step_s);
  std::string& text = out.key(stat_name(stat));
  if (number && number->is_finite()) {
    number->append_to(text);
  } else {
    text.append("null");
  }
}

}  // namespace

LiveStream::LiveStream(LiveRequest request, Hooks hooks, uint64_t last_event)
    : request_(std::move(request)),
      hooks_(std::move(hooks)),
      sent_(request_.series.size() * kLiveSlots, 0),
      last_event_(last_event) {
  series_.reserve(request_.series.size());
  for (const std::string& name : request_.series) series_.emplace_back(name);
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

bool LiveStream::send_slots(const Table& table, Store& store, Timestamp now) {
  const int64_t step_s = table.tiers().finest().step_s;
  const Slot open = unix_seconds(now) / step_s;
  const bool has_percentiles = !request_.percentiles.empty();
  const Parts parts{.extremes = true, .histograms = has_percentiles};
  std::string slots;
  for (size_t i = 0; i < series_.size(); ++i) {
    SlotColumns columns(open + 1 - static_cast<Slot>(kLiveSlots), kLiveSlots, parts);
    const auto kind = series_[i].read(table, store, columns);
    if (kind && *kind) append_series(slots, i, **kind, columns, step_s);
  }
  if (slots.empty()) return !is_cut();
  std::string data = "{\"now\":";
  append_number(data, static_cast<double>(now.time_since_epoch().count()) / 1000);
  data.append(",\"slots\":[").append(slots).append("]}");
  return send("slots", data);
}

void LiveStream::append_series(std::string& out, size_t index, Kind kind, const SlotColumns& columns,
                               int64_t step_s) {
  for (size_t k = 0; k < columns.size(); ++k) {
    if (!columns.present[k]) continue;
    const Slot slot = columns.begin + static_cast<Slot>(k);
    const Bucket bucket = columns.bucket_at(k);
    uint64_t& sent = sent_[index * kLiveSlots + static_cast<size_t>(slot) % kLiveSlots];
    const uint64_t digest = digest_of(slot, bucket);
    if (digest == sent) continue;
    sent = digest;
    if (!out.empty()) out.push_back(',');
    JsonObject one(out);
    one.count("i", index);
    one.key("t").append(std::to_string(slot * step_s));
    append_stat(one, Stat::kSum, bucket, step_s);
    if (adds_up(kind)) continue;  // one total has no other numbers
    if (request_.has_count) one.count("count", bucket.count());
    if (request_.has_extremes) {
      append_stat(one, Stat::kMin, bucket, step_s);
      append_stat(one, Stat::kMax, bucket, step_s);
    }
    if (request_.percentiles.empty() || kind != Kind::kDistribution) continue;
    const auto at = std::ranges::find(columns.histograms, slot, &SlotHistogram::slot);
    if (at == columns.histograms.end()) continue;
    for (const Percentile& p : request_.percentiles)
      one.number(p.name, at->histogram.percentile(p.q, bucket.min(), bucket.max()));
  }
}

}  // namespace statmill
