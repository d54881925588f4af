#include "server/query/read/column_reader.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/stage.h"
#include "server/query/ops/rates.h"
#include "server/query/ops/window.h"
#include "server/query/read/column_cache.h"
#include "server/query/read/detail_check.h"
#include "storage/codec/chunk_columns.h"
#include "storage/rollup.h"

namespace statmill {
namespace {

// Slots of the finest tier that are rolled up at a time, rounded to whole chunks: bounds the memory while the
// rollup lags.
constexpr int64_t kTailSlots = 8640;

// Returns the items with slots in [begin, end).
template <class Item>
std::span<const Item> in_range(const std::vector<Item>& all, Slot begin, Slot end) {
  const auto before = [](const Item& at, Slot slot) { return at.slot < slot; };
  const auto first = std::lower_bound(all.begin(), all.end(), begin, before);
  const auto last = std::lower_bound(first, all.end(), end, before);
  return {first, last};
}

size_t index_of(const SlotColumns& columns, Slot slot) { return static_cast<size_t>(slot - columns.begin); }

}  // namespace

ColumnReader::ColumnReader(const Retention& retention, const Expiry& expiry, SeriesView& view, Timestamp now,
                           Parts parts, const QueryControl& control, HostPresence* presence)
    : tiers_(retention.tiers()),
      expiry_(expiry),
      view_(view),
      now_s_(unix_seconds(now)),
      now_slot_(now_s_ / tiers_.finest().step_s),
      parts_(parts),
      control_(control),
      presence_(presence) {}

int64_t ColumnReader::kept_from_s(size_t series, TierNo tier) const {
  // By the tick's cutoffs, because the clock may be wrong. What is older may still be on disk.
  return expiry_.cutoff(tier, view_.facts(series).retention) * tiers_[tier].chunk_span_s();
}

Slot ColumnReader::rolled_slot(size_t series) const {
  return static_cast<Slot>(view_.facts(series).rolled) * tiers_.finest().chunk_slots;
}

ColumnReader::Target ColumnReader::target_of(size_t series, SlotSpan span, SlotColumns& columns) const {
  const SeriesFacts& facts = view_.facts(series);
  const int64_t step_s = tiers_[span.tier].step_s;
  const int64_t finest_s = tiers_.finest().step_s;
  if (facts.first_slot < 0) return {series, &columns, span.begin, span.begin};
  const int64_t end_s = (facts.last_slot + 1) * finest_s;
  return {
      series, &columns,
      std::max({span.begin, facts.first_slot * finest_s / step_s, kept_from_s(series, span.tier) / step_s}),
      std::min(span.end, (end_s + step_s - 1) / step_s)};
}

// Adds the chunks of the targets to their columns.
Status ColumnReader::load(std::span<const Target> targets, SlotSpan span) {
  const InStage stage(Stage::kDecode);
  const Tier& tier = tiers_[span.tier];
  Slot first = span.end;
  Slot end = span.begin;
  columns_of_.resize(view_.size());
  for (const Target& target : targets) {
    if (target.first >= target.end) continue;
    first = std::min(first, target.first);
    end = std::max(end, target.end);
    columns_of_[target.series] = target.columns;
  }
  ColumnCache* const cache = view_.cache();
  std::vector<size_t> wanted;
  for (Slot at = first; at < end;) {
    const ChunkNo chunk = tier.chunk_of_slot(at);
    const Slot chunk_first = static_cast<Slot>(chunk) * tier.chunk_slots;
    const Slot stop = std::min(end, chunk_first + tier.chunk_slots);
    wanted.clear();
    for (const Target& target : targets) {
      if (target.first < stop && target.end > at) wanted.push_back(target.series);
    }
    at = stop;
    if (wanted.empty()) continue;
    Status loaded = view_.chunks(span.tier, chunk, wanted, [&](size_t series, std::string_view frames) {
      if (control_.should_stop()) return;
      const ChunkKey key{span.tier, chunk, view_.facts(series).id};
      SlotColumns& out = *columns_of_[series];
      if (cache != nullptr) {
        const auto decoded = cache->decode({key, chunk_first, tier.chunk_slots}, frames, out);
        damaged_frames_ += decoded.damaged_frames;
        cached_ += decoded.is_cached ? 1 : 0;
      } else {
        damaged_frames_ += decode_columns(key, chunk_first, tier.chunk_slots, frames, out);
      }
      ++chunks_;
      bytes_ += frames.size();
    });
    if (!loaded) return loaded;
    if (Status s = control_.check(); !s) return s;
  }
  return Status::ok();
}

Result<std::vector<SeriesSlots>> ColumnReader::read(std::span<const size_t> series, SlotSpan span) {
  std::vector<SeriesSlots> out;
  out.reserve(series.size());
  for (size_t i = 0; i < series.size(); ++i) out.push_back({SlotColumns(span.begin, span.size(), parts_)});
  if (span.is_empty()) return out;
  const bool is_fine = span.tier == 0 || is_detail(span);
  const Status status = is_fine ? read_fine(series, span, out) : read_coarse(series, span, out);
  if (!status) return status.error();
  return out;
}

Status ColumnReader::read_fine(std::span<const size_t> series, SlotSpan span, std::vector<SeriesSlots>& out) {
  if (Status s = read_totals(series, span, out); !s) return s;
  if (is_detail(span)) {
    if (Status s = compare_with_finest(series, span, out); !s) return s;
  }
  if (Status s = load_presence(series, span); !s) return s;
  for (size_t i = 0; i < series.size(); ++i) {
    if (Status s = control_.check(); !s) return s;
    const HostPresence::Host* const host =
        wants_dense_detail_ && is_detail(span) ? presence_of(series[i]) : nullptr;
    if (host != nullptr && !is_dense_presence(host->slots, tiers_.detail_ratio())) lacks_detail_ = true;
    if (adds_up(view_.facts(series[i]).kind)) finish_amounts(series[i], span, out[i]);
  }
  return Status::ok();
}

// Reads what the tier and RAM have. Amounts are totals.
Status ColumnReader::read_totals(std::span<const size_t> series, SlotSpan span,
                                 std::vector<SeriesSlots>& out) {
  std::vector<Target> targets;
  targets.reserve(series.size());
  for (size_t i = 0; i < series.size(); ++i) targets.push_back(target_of(series[i], span, out[i].columns));
  if (Status s = load(targets, span); !s) return s;
  for (size_t i = 0; i < series.size(); ++i) {
    if (Status s = control_.check(); !s) return s;
    SlotColumns& columns = out[i].columns;
    view_.erase(series[i], span.tier, columns);
    view_.add_ram(series[i], span.tier, columns);
    const Slot kept = kept_from_s(series[i], span.tier) / tiers_[span.tier].step_s;
    if (kept > span.begin) columns.erase(0, index_of(columns, std::min(kept, span.end)));
  }
  return Status::ok();
}

// Sets lacks_detail() unless the detail tier has what the finest tier has.
Status ColumnReader::compare_with_finest(std::span<const size_t> series, SlotSpan span,
                                         std::span<const SeriesSlots> detail) {
  const int64_t ratio = tiers_.detail_ratio();
  const SlotSpan finest{0, span.begin / ratio, span.end / ratio};
  std::vector<SeriesSlots> whole;
  for (size_t i = 0; i < series.size(); ++i)
    whole.push_back({SlotColumns(finest.begin, finest.size(), Parts{})});
  if (Status s = read_totals(series, finest, whole); !s) return s;
  for (size_t i = 0; i < series.size() && !lacks_detail_; ++i) {
    const Kind kind = view_.facts(series[i]).kind;
    const SlotColumns& columns = detail[i].columns;
    lacks_detail_ = !is_whole_detail(columns, whole[i].columns, ratio, kind) ||
                    (wants_dense_detail_ && !is_dense_detail(columns, whole[i].columns, ratio, kind));
  }
  return Status::ok();
}

// Turns totals into rates, puts the open slot aside, and fills the silent slots of events with zeros.
void ColumnReader::finish_amounts(size_t series, SlotSpan span, SeriesSlots& slots) const {
  SlotColumns& columns = slots.columns;
  const int64_t slot_s = tiers_[span.tier].step_s;
  const Slot now_slot = now_s_ / slot_s;
  const SeriesFacts& facts = view_.facts(series);
  if (facts.first_slot < 0) return;
  const bool is_event = facts.kind == Kind::kEvent;
  const HostPresence::Host* const host = presence_of(series);
  const Slot first = std::max({columns.begin, facts.first_slot * tiers_.finest().step_s / slot_s,
                               kept_from_s(series, span.tier) / slot_s});
  if (first <= now_slot && now_slot < columns.end()) {
    const size_t i = index_of(columns, now_slot);
    Bucket rate = columns.bucket_at(i).event_rate(slot_s);
    if (is_event && rate.is_empty() && (host == nullptr || host->is_there_now)) rate.merge_zeros(1);
    if (!rate.is_empty()) slots.open = {now_slot, rate};
    columns.erase(i, i + 1);
  }
  columns = rate_columns(columns, slot_s);
  if (!is_event) return;
  const Slot end = std::min(columns.end(), now_slot);
  if (first >= end) return;
  for (size_t i = index_of(columns, first); i < index_of(columns, end);) {
    size_t stop = index_of(columns, end);
    if (host != nullptr) {
      while (i < stop && host->slots[i] == 0) ++i;
      stop = i;
      while (stop < index_of(columns, end) && host->slots[stop] > 0) ++stop;
    }
    statmill::add_silence(columns, i, stop);
    i = stop;
  }
}

Status ColumnReader::read_coarse(std::span<const size_t> series, SlotSpan span,
                                 std::vector<SeriesSlots>& out) {
  const int64_t ratio = tiers_[span.tier].step_s / tiers_.finest().step_s;
  std::vector<Target> targets;
  targets.reserve(series.size());
  for (size_t i = 0; i < series.size(); ++i) {
    targets.push_back(target_of(series[i], span, out[i].columns));
    targets.back().end = std::min(targets.back().end, rolled_slot(series[i]) / ratio);
  }
  if (Status s = load(targets, span); !s) return s;
  if (Status s = load_presence(series, span); !s) return s;
  for (size_t i = 0; i < series.size(); ++i) {
    if (Status s = control_.check(); !s) return s;
    SlotColumns& columns = out[i].columns;
    view_.erase(series[i], span.tier, columns);
    const Slot rolled = std::clamp(rolled_slot(series[i]) / ratio, span.begin, span.end);
    columns.erase(index_of(columns, rolled), columns.size());
    const Slot kept = kept_from_s(series[i], span.tier) / tiers_[span.tier].step_s;
    if (kept > span.begin) columns.erase(0, index_of(columns, std::min(kept, span.end)));
    const SlotSpan coarse{span.tier, std::clamp(kept, span.begin, rolled), rolled};
    if (Status s = add_late(series[i], coarse, columns); !s) return s;
    if (view_.facts(series[i]).kind == Kind::kEvent) add_silence(series[i], coarse, columns);
  }
  return add_tail(series, span, out);
}

// Adds what is not rolled up yet, from the finest tier.
Status ColumnReader::add_tail(std::span<const size_t> series, SlotSpan span, std::vector<SeriesSlots>& out) {
  const Tier& finest = tiers_.finest();
  const int64_t ratio = tiers_[span.tier].step_s / finest.step_s;
  std::map<Slot, std::vector<size_t>> by_begin;  // positions in `series`; the rollup makes one or two groups
  for (size_t i = 0; i < series.size(); ++i) {
    const int64_t kept_s = kept_from_s(series[i], span.tier);
    by_begin[std::max({span.begin * ratio, rolled_slot(series[i]), kept_s / finest.step_s})].push_back(i);
  }
  for (const auto& [begin, positions] : by_begin) {
    std::vector<size_t> group;
    Slot last = 0;  // no slot after it has data or counts as silent
    for (const size_t i : positions) {
      group.push_back(series[i]);
      last = std::max({last, view_.facts(series[i]).last_slot, now_slot_});
    }
    const Slot end = std::min(span.end * ratio, (last / ratio + 1) * ratio);
    for (Slot at = begin; at < end;) {
      const Slot piece = at / finest.chunk_slots * finest.chunk_slots +
                         std::max(finest.chunk_slots, kTailSlots / finest.chunk_slots * finest.chunk_slots);
      const SlotSpan fine{0, at, std::min(end, piece)};
      auto slots = read(group, fine);
      if (!slots) return slots.error();
      for (size_t k = 0; k < positions.size(); ++k) {
        SeriesSlots& to = out[positions[k]];
        // Amounts are rates by now, which merge as samples do.
        to.columns.add(roll_up((*slots)[k].columns, finest, tiers_[span.tier], Kind::kGauge),
                       Combine::kMerge);
        if ((*slots)[k].open) to.open = (*slots)[k].open;
      }
      at = fine.end;
    }
  }
  return Status::ok();
}

// Adds late samples in RAM that lie in slots of `span`, which are rolled up already.
Status ColumnReader::add_late(size_t series, SlotSpan span, SlotColumns& columns) {
  const SeriesFacts& facts = view_.facts(series);
  const Tier& finest = tiers_.finest();
  const Tier& tier = tiers_[span.tier];
  const int64_t ratio = tier.step_s / finest.step_s;
  if (facts.ram_slot < 0 || facts.ram_slot >= span.end * ratio) return Status::ok();
  const SeriesView::RamSlots late = view_.ram_slots(series);
  if (adds_up(facts.kind)) return add_late_amounts(series, span, late, columns);
  const auto buckets = in_range(late.buckets, span.begin * ratio, span.end * ratio);
  for (const SlotBucket& b : roll_up(buckets, finest, tier, facts.kind))
    columns.add(index_of(columns, b.slot), b.bucket, Combine::kMerge);
  if (!parts_.histograms) return Status::ok();
  const auto histograms = in_range(late.histograms, span.begin * ratio, span.end * ratio);
  merge_into(columns.histograms, roll_up(histograms, finest, tier));
  return Status::ok();
}

// Late amounts change totals that are already in the coarse buckets: those buckets are computed again from
// the finest tier, as the flush will do.
Status ColumnReader::add_late_amounts(size_t series, SlotSpan span, const SeriesView::RamSlots& late,
                                      SlotColumns& columns) {
  const Tier& finest = tiers_.finest();
  const Tier& tier = tiers_[span.tier];
  const int64_t ratio = tier.step_s / finest.step_s;
  // The chunks of the finest tier from this one on have all data that they ever had.
  const ChunkNo whole_from = expiry_.whole_from(view_.facts(series).retention);
  const auto all = in_range(late.buckets, span.begin * ratio, span.end * ratio);
  for (size_t i = 0; i < all.size();) {
    const ChunkNo chunk = finest.chunk_of_slot(all[i].slot);
    size_t stop = i + 1;
    while (stop < all.size() && finest.chunk_of_slot(all[stop].slot) == chunk) ++stop;
    const auto part = all.subspan(i, stop - i);
    i = stop;
    if (chunk < whole_from) {  // the totals are dropped, so the late amounts count as slots of their own
      for (const SlotBucket& b : roll_up(part, finest, tier, Kind::kEvent))
        columns.add(index_of(columns, b.slot), b.bucket, Combine::kMerge);
      continue;
    }
    const Slot first = static_cast<Slot>(chunk) * finest.chunk_slots;
    SlotColumns totals(first, static_cast<size_t>(finest.chunk_slots), parts_);
    const Target target{series, &totals, first, first + finest.chunk_slots};
    if (Status s = load({&target, 1}, {0, first, target.end}); !s) return s;
    view_.erase(series, 0, totals);
    for (const SlotBucket& b : part) totals.add(index_of(totals, b.slot), b.bucket, Combine::kAddEvents);
    const SlotColumns again = roll_up(totals, finest, tier, Kind::kEvent);
    for (const SlotBucket& b : part) {
      const Slot slot = b.slot / ratio;
      const size_t to = index_of(columns, slot);
      columns.erase(to, to + 1);
      columns.add(to, again.bucket_at(index_of(again, slot)), Combine::kMerge);
    }
  }
  return Status::ok();
}

// Loads the presence of the series' hosts, which costs nothing for series without a host.
Status ColumnReader::load_presence(std::span<const size_t> series, SlotSpan span) {
  if (presence_ == nullptr) return Status::ok();
  std::vector<std::string_view> hosts;
  for (const size_t i : series) {
    const std::string& host = view_.facts(i).host;
    if (!host.empty()) hosts.push_back(host);
  }
  std::ranges::sort(hosts);
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  return hosts.empty() ? Status::ok() : presence_->load(hosts, span);
}

// Returns nullptr if nothing is known of the series' host. Requires: load_presence() of its span.
const HostPresence::Host* ColumnReader::presence_of(size_t series) const {
  const std::string& name = view_.facts(series).host;
  if (presence_ == nullptr || name.empty()) return nullptr;
  const HostPresence::Host& host = presence_->of(name);
  return host.is_known() ? &host : nullptr;
}

// Adds zeros for the silent slots of an event series, from its first kept slot to the present one. `span` is
// rolled up, so all of its slots are of the past unless the clock is wrong. A coarse slot knows in how many
// of its slots the host was present, but not in which: those with events count as some of them.
void ColumnReader::add_silence(size_t series, SlotSpan span, SlotColumns& columns) const {
  const int64_t ratio = tiers_[span.tier].step_s / tiers_.finest().step_s;
  const Slot first = view_.facts(series).first_slot;
  if (first < 0) return;
  const HostPresence::Host* const host = presence_of(series);
  for (Slot slot = std::max(span.begin, first / ratio); slot < span.end; ++slot) {
    const Slot begin = std::max(slot * ratio, first);
    const Slot end = std::min((slot + 1) * ratio, now_slot_ + 1);
    const size_t i = index_of(columns, slot);
    const uint64_t present = columns.count_at(i);
    uint64_t all = begin < end ? static_cast<uint64_t>(end - begin) : 0;
    if (host != nullptr) all = std::min<uint64_t>(all, host->slots[i]);
    if (all > present) add_zeros(columns, i, all - present);
  }
}

}  // namespace statmill
