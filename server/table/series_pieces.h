// SeriesPieces: a copy of everything that RAM has of one series, and how it relates to the store.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "proto/sample.h"
#include "server/table/series.h"
#include "server/table/shard.h"
#include "storage/codec/window.h"
#include "storage/ids.h"
#include "storage/slot_columns.h"
#include "storage/tiers.h"

namespace statmill {

// The slots that a reader asks for: those of the finest tier, or those of the detail tier.
struct SlotUnit {
  int64_t detail_ratio = 1;  // Tiers::detail_ratio()
  bool is_detail = false;

  static SlotUnit finest(const Tiers& tiers) { return {tiers.detail_ratio(), false}; }
  static SlotUnit detail(const Tiers& tiers) { return {tiers.detail_ratio(), true}; }
};

// The pieces as they are encoded in RAM (invariant B). Each of them is in slots of the finest tier or of the
// detail tier. Readers get both as the unit that they ask for: detail is folded into slots of the finest
// tier, and no second is known of what is in slots of the finest tier.
struct SeriesPieces {
  SeriesId id = 0;
  Kind kind = Kind::kGauge;
  RetentionClass retention = kDefaultRetention;
  ShardNo shard = 0;
  Slot first_slot = Series::kNoSlot;  // of the finest tier
  Slot last_slot = Series::kNoSlot;
  uint8_t joined_power = 0;           // SeriesRow::joined_power
  bool is_detailed = false;           // the slots of `pending` and `deltas` are those of the detail tier
  bool is_flushing_detailed = false;  // the same of `flushing`
  // Not in the store: what earlier ticks have collected, and what they have not.
  Window pending;
  struct Delta {
    std::vector<SlotBucket> buckets;        // ascending, each slot once
    std::vector<SlotHistogram> histograms;  // for the same slots; empty unless asked for
  };
  std::array<Delta, 2> deltas;
  Window flushing;   // in the store once flushing_tick is committed
  SlotRange erased;  // slots whose data in the store and in `flushing` do not count, until that tick
  TickNo flushed_tick = 0;
  TickNo flushing_tick = 0;

  Combine combine() const { return combine_of(kind); }

  // Adds what is being flushed to `out`, and removes the erased slots from it.
  void add_flushing(SlotColumns& out, const SlotUnit& unit) const;
  // Adds what is neither in the store nor being flushed to `out`.
  void add_unflushed(SlotColumns& out, const SlotUnit& unit) const;
  // Removes the erased slots from `out`.
  void erase(SlotColumns& out, const SlotUnit& unit) const;

  // The same as lists, in slots of the finest tier: ascending, each slot once.
  struct Lists {
    std::vector<SlotBucket> buckets;
    std::vector<SlotHistogram> histograms;  // if the pieces were copied with them
  };
  Lists lists(const Tiers& tiers, bool with_flushing) const;
  // Returns the oldest slot of the finest tier that has data here, or -1.
  Slot oldest_slot(const Tiers& tiers, bool with_flushing) const;
};

}  // namespace statmill
