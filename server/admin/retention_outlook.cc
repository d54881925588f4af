#include "server/admin/retention_outlook.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace statmill {
namespace {

constexpr ChunkNo kLastChunk = std::numeric_limits<ChunkNo>::max();
// Rows of a tier that are read to estimate bytes: about 10 MB of it. They are divided among the ranges
// between two cutoffs, with at least kRowsMin rows for each.
constexpr uint64_t kRows = 2048;
constexpr uint64_t kRowsMin = 16;
// With more cutoffs than that, some are in the midst of a range, whose bytes are divided by time then.
constexpr size_t kRangesMax = 16;

// The first chunks that both retentions keep, as of one moment.
struct BothCutoffs {
  Ticker::Cutoffs now;
  Ticker::Cutoffs then;
};

Error canceled() { return {ErrorCode::kUnavailable, "it was canceled"}; }

// Leaves as many of the cutoffs as there may be ranges, among them the first and the last.
void thin_out(std::vector<ChunkNo>& cutoffs) {
  if (cutoffs.size() <= kRangesMax) return;
  for (size_t i = 0; i < kRangesMax; ++i) cutoffs[i] = cutoffs[i * (cutoffs.size() - 1) / (kRangesMax - 1)];
  cutoffs.resize(kRangesMax);
}

// Returns the bytes of the part of the range that is in [from, to).
uint64_t part_of(uint64_t bytes, const ChunkRange& range, ChunkNo from, ChunkNo to) {
  const ChunkNo begin = std::max(range.begin, from);
  const ChunkNo end = std::min(range.end, to);
  if (begin >= end) return 0;
  const double part = static_cast<double>(end - begin) / static_cast<double>(range.end - range.begin);
  return begin == range.begin && end == range.end ? bytes
                                                  : static_cast<uint64_t>(static_cast<double>(bytes) * part);
}

// A class in one tier.
struct Place {
  RetentionClass retention = kDefaultRetention;
  TierNo tier = 0;
  TierOutlook* out = nullptr;
};

class Outlook {
 public:
  Outlook(const OutlookSources& sources, const Retention& now, const Retention& next, BothCutoffs cutoffs)
      : sources_(sources), tiers_(now.tiers()), cutoffs_(std::move(cutoffs)), out_(now.class_count()) {
    for (size_t c = 0; c < out_.size(); ++c) add_class(static_cast<RetentionClass>(c), now, next);
  }

  Result<RetentionOutlook> read() {
    for (size_t shard = 0; shard < kShardCount; ++shard) {
      if (sources_.is_canceled()) return canceled();
      for (const auto& series : sources_.table.summaries(static_cast<ShardNo>(shard))) add_series(series);
    }
    until_ = sources_.clock.steady() + kOutlookTime;
    for (TierNo t = 0; t < tiers_.stored_count(); ++t) {
      if (Status s = add_bytes(t); !s) return s.error();
    }
    return std::move(out_);
  }

 private:
  void add_class(RetentionClass c, const Retention& now, const Retention& next) {
    ClassOutlook& out = out_[c];
    if (c != kDefaultRetention) {
      out.rule = now.rule(c);
      out.then_rule = next.rule(c);
    }
    const Tiers& kept = now.tiers(c);
    const Tiers& then = next.tiers(c);
    std::vector<TierNo> shown;
    if (kept.keep_detail() || then.keep_detail()) shown.push_back(kept.detail_no());
    for (TierNo t = 0; t < kept.count(); ++t) shown.push_back(t);
    out.tiers.resize(shown.size());
    for (size_t i = 0; i < shown.size(); ++i) {
      const TierNo t = shown[i];
      out.tiers[i].step_s = kept[t].step_s;
      out.tiers[i].kept_s = kept[t].retention_s;
      out.tiers[i].then_s = then[t].retention_s;
      places_.push_back({c, t, &out.tiers[i]});
    }
  }

  int64_t start_of(ChunkNo chunk, TierNo tier) const { return int64_t{chunk} * tiers_[tier].chunk_span_s(); }

  void add_series(const Table::SeriesSummary& series) {
    ++out_[series.retention].series;
    if (series.first_slot == Series::kNoSlot) return;
    const int64_t first_s = series.first_slot * tiers_.finest().step_s;
    const int64_t end_s = (series.last_slot + 1) * tiers_.finest().step_s;
    bool drops = false;
    for (const Place& place : places_of(series.retention)) {
      const int64_t now_s = start_of(first_left(place), place.tier);
      const int64_t then_s = start_of(cutoffs_.then[place.retention][place.tier], place.tier);
      if (place.out->kept_s == 0 || end_s <= now_s) continue;
      const int64_t oldest_s = std::max(first_s, now_s);
      place.out->oldest_s = std::min(place.out->oldest_s.value_or(oldest_s), oldest_s);
      if (oldest_s >= then_s) continue;
      ++place.out->affected_series;
      drops = true;
    }
    if (drops) ++out_[series.retention].affected_series;
  }

  // A longer retention covers chunks that a shorter one has dropped before.
  ChunkNo first_left(const Place& place) const {
    const Expiry& expiry = sources_.store.expiry();
    const ChunkNo left = std::max(cutoffs_.now[place.retention][place.tier], expiry.floor(place.tier));
    return place.tier == 0 ? std::max(left, expiry.whole_from(place.retention)) : left;
  }

  // Those of a class are next to each other.
  std::span<const Place> places_of(RetentionClass retention) const {
    const auto [begin, end] = std::ranges::equal_range(places_, retention, {}, &Place::retention);
    return {begin, end};
  }

  Status add_bytes(TierNo tier) {
    std::vector<ChunkNo> bounds;
    for (const Place& place : places_) {
      if (place.tier != tier) continue;
      bounds.push_back(cutoffs_.now[place.retention][tier]);
      bounds.push_back(cutoffs_.then[place.retention][tier]);
    }
    std::ranges::sort(bounds);
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    thin_out(bounds);
    const uint64_t rows_max = std::max(kRowsMin, kRows / std::max<size_t>(bounds.size(), 1));
    bounds.push_back(kLastChunk);
    for (size_t i = 1; i < bounds.size(); ++i) {
      if (sources_.is_canceled()) return canceled();
      const ChunkRange range{tier, bounds[i - 1], bounds[i]};
      const auto sizes = sources_.store.class_bytes({range, rows_max, [this] { return is_over(); }});
      if (!sizes) return sizes.error();
      for (const Place& place : places_) {
        if (place.tier != tier) continue;
        const uint64_t bytes = sizes->bytes[place.retention];
        const ChunkNo now = cutoffs_.now[place.retention][tier];
        place.out->bytes += part_of(bytes, range, now, kLastChunk);
        place.out->dropped_bytes += part_of(bytes, range, now, cutoffs_.then[place.retention][tier]);
        if (sizes->are_least) place.out->are_least = true;
      }
    }
    return Status::ok();
  }

  bool is_over() const { return sources_.is_canceled() || sources_.clock.steady() >= until_; }

  const OutlookSources& sources_;
  const Tiers& tiers_;
  const BothCutoffs cutoffs_;
  RetentionOutlook out_;
  std::vector<Place> places_;
  SteadyTime until_;  // when to end reading the store
};

}  // namespace

Result<RetentionOutlook> retention_outlook(const OutlookSources& sources, const Retention& next) {
  const Retention& now = sources.table.retention();
  if (Status s = now.differs_in_times_only(next); !s) return s.error();
  BothCutoffs cutoffs;
  const Status read = sources.on_tick_thread([&](const Ticker& ticker, TickTime) {
    cutoffs = {ticker.cutoffs(now), ticker.cutoffs(next)};
    return Status::ok();
  });
  if (!read) return read.error();
  return Outlook(sources, now, next, std::move(cutoffs)).read();
}

}  // namespace statmill
