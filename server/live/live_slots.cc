#include "server/live/live_slots.h"

#include <algorithm>
#include <bit>
#include <utility>

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

bool LiveSlots::read(const LiveTurn& turn, const LiveRequest& request) {
  const bool has_percentiles = !request.percentiles.empty();
  if (turn_ == turn.number && (columns_.parts.histograms || !has_percentiles)) return kind_.has_value();
  turn_ = turn.number;
  const Slot open = unix_seconds(turn.now) / turn.table.tiers().finest().step_s;
  columns_ = SlotColumns(open + 1 - static_cast<Slot>(kLiveSlots), kLiveSlots,
                         {.extremes = true, .histograms = has_percentiles});
  const auto kind = series_.read(turn.table, turn.store, columns_);
  kind_ = kind ? *kind : std::nullopt;
  for (size_t k = 0; k < kLiveSlots; ++k) {
    digests_[k] = kind_ && columns_.present[k] ? digest_of(slot(k), columns_.bucket_at(k)) : 0;
    texts_[k].clear();
  }
  return kind_.has_value();
}

const std::string& LiveSlots::text(size_t k, const LiveRequest& request, const Tiers& tiers) {
  if (request.numbers != numbers_) {
    numbers_ = request.numbers;
    for (std::string& text : texts_) text.clear();
  }
  if (texts_[k].empty()) texts_[k] = print(k, request, tiers.finest().step_s);
  return texts_[k];
}

std::string LiveSlots::print(size_t k, const LiveRequest& request, int64_t step_s) const {
  const Bucket bucket = columns_.bucket_at(k);
  std::string out;
  {
    JsonObject one(out);
    one.key("t").append(std::to_string(slot(k) * step_s));
    append_stat(one, Stat::kSum, bucket, step_s);
    if (!adds_up(*kind_)) {  // one total has no other numbers
      if (request.has_count) one.count("count", bucket.count());
      if (request.has_extremes) {
        append_stat(one, Stat::kMin, bucket, step_s);
        append_stat(one, Stat::kMax, bucket, step_s);
      }
      const auto at = std::ranges::find(columns_.histograms, slot(k), &SlotHistogram::slot);
      if (*kind_ == Kind::kDistribution && at != columns_.histograms.end()) {
        for (const Percentile& p : request.percentiles)
          one.number(p.name, at->histogram.percentile(p.q, bucket.min(), bucket.max()));
      }
    }
  }
  return out.substr(1);  // without its brace
}

std::shared_ptr<LiveSlots> LivePool::of(const std::string& name) {
  MutexLock lock(mutex_);
  if (slots_.size() >= sweep_at_) {
    std::erase_if(slots_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = std::max(kSweepMin, 2 * slots_.size());
  }
  std::weak_ptr<LiveSlots>& known = slots_[name];
  auto slots = known.lock();
  if (!slots) {
    slots = std::make_shared<LiveSlots>(name);
    known = slots;
  }
  return slots;
}

}  // namespace statmill
