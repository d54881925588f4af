// Series: the state of one series in RAM. The lock of its shard guards it.
//
// Its samples lie in up to four places: two deltas (of the epoch that ingest writes, and of the one that the
// tick collects), pending (journaled, not yet in fragments) and flushing (being written to the store).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/bytes16.h"
#include "proto/sample.h"
#include "server/names/name_row.h"
#include "server/table/delta_pool.h"
#include "server/table/packed_slot.h"
#include "storage/codec/window.h"
#include "storage/ids.h"
#include "storage/series_row.h"

namespace statmill {

// Lives in a SeriesArena; the bytes of its name follow it in memory.
struct Series {
  static constexpr Slot kNoSlot = -1;
  // A series without a sample for so long becomes idle: two intervals of flushes, as the server is set by
  // default. A sample that comes once an hour is worth the time that it takes to wake the series up.
  static constexpr int64_t kIdleS = 1200;
  static constexpr size_t kColdBytes = 64;  // the fields that adding a sample does not touch

  static constexpr NameRow kUnindexed{NameRow::kNoTable, 0};  // of a series whose name waits for the index
  static constexpr NameRow kRemoved{NameRow::kNoTable, 1};    // of a series that was removed from its arena

  Series() = default;
  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;

  Window pending;
  // In the table's NameIndex, or one of the next two. Written under the table's index lock or, when the
  // series is created or wakes up, under its names lock.
  NameRow row = kUnindexed;
  SeriesId id = 0;
  uint32_t flushing = 0;                    // 1 + index in Shard::flushing; 0 if it is not being flushed
  std::array<DeltaPool::Chain, 2> delta{};  // by the epoch's parity
  PackedSlot first_slot = kNoSlot;          // the oldest slot of the finest tier that ever had a sample
  PackedSlot last_slot = kNoSlot;           // the newest one
  uint16_t name_size = 0;
  Kind kind : 3 = Kind::kGauge;
  bool is_detailed : 1 =
      false;  // SeriesRow::is_detailed: `delta` and `pending` have slots of the detail tier
  uint8_t joined_power : 4 = 0;  // SeriesRow::joined_power
  RetentionClass retention = kDefaultRetention;

  std::string_view name() const { return {reinterpret_cast<const char*>(this + 1), name_size}; }
  bool is_named(std::string_view other) const {
    return other.size() == name_size && are_same_bytes(name().data(), other.data(), name_size);
  }
  // Prefetches the last bytes of the name.
  void prefetch_name_end() const {
    __builtin_prefetch(reinterpret_cast<const char*>(this + 1) + name_size - 1);
  }
  // Prefetches the fields that Table::collect() needs.
  void prefetch() const {
    __builtin_prefetch(this, 1);
    __builtin_prefetch(&delta, 1);
  }
  // Requires: no more than kSentJoinedPowerMax.
  void set_joined_power(uint8_t power) { joined_power = power & 0xf; }
  SeriesRow stored_row() const { return {id, kind, std::string(name()), joined_power, is_detailed}; }
  Combine combine() const { return combine_of(kind); }
  // Adds entries of a journal row to `pending`, when the server starts. `detail_ratio` is that of the tiers.
  // Returns false if the bytes are not `entries` valid entries.
  bool replay(uint32_t entries, Reader& in, int64_t detail_ratio);
  // Returns true if no samples of the series are in RAM.
  bool is_at_rest() const { return pending.is_empty() && flushing == 0 && delta[0] == 0 && delta[1] == 0; }
  // Returns true if it is at rest, and all its samples lie before a slot.
  bool is_silent(Slot kept_from) const {
    return last_slot != kNoSlot && last_slot < kept_from && is_at_rest();
  }
  // `slot` is of the finest tier.
  void include_slot(Slot slot) {
    if (last_slot.is(slot)) return;  // nearly always
    if (first_slot == kNoSlot || slot < first_slot) first_slot = slot;
    if (slot > last_slot) last_slot = slot;
  }
};

static_assert(offsetof(Series, delta) == Series::kColdBytes);
static_assert(sizeof(Series) == 88);  // leaves 40 bytes of the second cache line for the name

}  // namespace statmill
