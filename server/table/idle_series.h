// IdleSeries: what RAM keeps of a series that has had no sample for a while, of which everything is in the
// store; and IdlePool, those of one shard. Its name is in the index of names only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "server/names/name_row.h"
#include "server/table/series.h"

namespace statmill {

// The place of a series: its number in the SeriesArena, or, of an idle one, that in the pool of its shard.
class SeriesPlace {
 public:
  static constexpr uint32_t kNumberMax = 0x7fffffff;

  constexpr SeriesPlace() = default;  // of no series
  // Requires: 1 to kNumberMax.
  static constexpr SeriesPlace awake(uint32_t number) { return SeriesPlace(number); }
  // Requires: at most kNumberMax.
  static constexpr SeriesPlace idle(uint32_t number) { return SeriesPlace(kIdle | number); }

  bool is_none() const { return value_ == 0; }
  bool is_awake() const { return static_cast<int32_t>(value_) > 0; }
  bool is_idle() const { return (value_ & kIdle) != 0; }
  uint32_t number() const { return value_ & kNumberMax; }
  friend bool operator==(SeriesPlace, SeriesPlace) = default;

 private:
  static constexpr uint32_t kIdle = 0x80000000;
  explicit constexpr SeriesPlace(uint32_t value) : value_(value) {}

  uint32_t value_ = 0;
};

// The fields of Series of the same names. The lock of its shard guards it.
struct IdleSeries {
  NameRow row;  // of a name that the index has
  SeriesId id = 0;
  PackedSlot first_slot = Series::kNoSlot;
  PackedSlot last_slot = Series::kNoSlot;
  Kind kind : 3 = Kind::kGauge;
  bool is_detailed : 1 = false;
  uint8_t joined_power : 4 = 0;
  RetentionClass retention = kDefaultRetention;

  // Copies the fields from or to a Series.
  template <class From, class To>
  static void copy(const From& from, To& to) {
    to.row = from.row;
    to.id = from.id;
    to.first_slot = from.first_slot;
    to.last_slot = from.last_slot;
    to.kind = from.kind;
    to.is_detailed = from.is_detailed;
    to.joined_power = from.joined_power & 0xf;
    to.retention = from.retention;
  }
  bool is_silent(Slot kept_from) const { return last_slot != Series::kNoSlot && last_slot < kept_from; }
  void include_slot(Slot slot) {
    if (first_slot == Series::kNoSlot || slot < first_slot) first_slot = slot;
    if (slot > last_slot) last_slot = slot;
  }
};
static_assert(sizeof(IdleSeries) == 28);

// Cells that never move; those of removed series are used again. Needs the lock of its shard.
class IdlePool {
 public:
  using Number = uint32_t;

  Number add() {
    if (free_ == kNone) {
      const auto first = static_cast<Number>(chunks_.size() * kChunkCells);
      chunks_.push_back(std::make_unique<Chunk>());
      for (size_t i = kChunkCells; i-- > 0;) remove(first + static_cast<Number>(i));
    }
    const Number number = free_;
    free_ = (*this)[number].id;
    return number;
  }
  void remove(Number number) {
    (*this)[number] = IdleSeries();
    (*this)[number].id = std::exchange(free_, number);
  }
  IdleSeries& operator[](Number number) { return (*chunks_[number / kChunkCells])[number % kChunkCells]; }
  const IdleSeries& operator[](Number number) const {
    return (*chunks_[number / kChunkCells])[number % kChunkCells];
  }
  // Calls `visit` with each series.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& chunk : chunks_) {
      for (IdleSeries& series : *chunk) {
        if (series.row.is_indexed()) visit(series);
      }
    }
  }

 private:
  static constexpr Number kNone = 0xffffffff;
  static constexpr size_t kChunkCells = 64;
  using Chunk = std::array<IdleSeries, kChunkCells>;

  std::vector<std::unique_ptr<Chunk>> chunks_;
  Number free_ = kNone;  // the list of free cells; the id of each is the number of the next
};

}  // namespace statmill
