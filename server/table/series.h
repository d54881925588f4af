// Series: what RAM holds of one series, under the lock of its shard.
//
// Its samples lie in up to four places: two deltas (the epoch that ingest writes, the one that the tick
// collects), pending (journaled, not yet in fragments) and flushing (on their way into the store).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/bytes16.h"
#include "proto/sample.h"
#include "server/table/delta_pool.h"
#include "server/table/packed_slot.h"
#include "storage/codec/window.h"
#include "storage/ids.h"

namespace statmill {

// Stands in a SeriesArena, its name behind it.
struct Series {
  static constexpr Slot kNever = -1;
  static constexpr size_t kColdBytes = 64;  // what no sample needs

  Series() = default;
  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;

  Window pending;
  const char* listed_name = nullptr;  // in the table's NameArena
  SeriesId id = 0;
  uint32_t flushing = 0;                    // 1 + place in Shard::flushing, or 0
  std::array<DeltaPool::Chain, 2> delta{};  // by the epoch's parity
  PackedSlot first_slot = kNever;  // of the finest tier: the oldest and newest slot that ever had a sample
  PackedSlot last_slot = kNever;
  uint16_t name_size = 0;
  Kind kind = Kind::kGauge;
  RetentionClass retention = kDefaultRetention;

  std::string_view name() const { return {reinterpret_cast<const char*>(this + 1), name_size}; }
  bool is_named(std::string_view other) const {
    return other.size() == name_size && are_same_bytes(name().data(), other.data(), name_size);
  }
  // Asks for the memory of the last bytes of the name.
  void prefetch_name_end() const {
    __builtin_prefetch(reinterpret_cast<const char*>(this + 1) + name_size - 1);
  }
  // The same of what collecting a delta needs.
  void prefetch() const {
    __builtin_prefetch(this, 1);
    __builtin_prefetch(&delta, 1);
  }
  Combine combine() const { return kind == Kind::kEvent ? Combine::kAddEvents : Combine::kMerge; }
  // At start, into `pending`: so many entries of a journal row, false when the bytes are none; or one.
  bool replay(uint32_t entries, Reader& in);
  void replay(const SlotBucket& entry);
  void saw(Slot slot) {
    if (last_slot.is(slot)) return;  // as nearly always
    if (first_slot == kNever || slot < first_slot) first_slot = slot;
    if (slot > last_slot) last_slot = slot;
  }
};

static_assert(offsetof(Series, delta) == Series::kColdBytes);
static_assert(sizeof(Series) == 88);  // so that a line has room for 40 bytes of the name

}  // namespace statmill
