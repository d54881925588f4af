// Groups: the buckets of a chunk sorted into what one frame can hold, as columns: decimals at one scale, or
// doubles.
//
// What the codec encodes from. A group depends only on the values of its buckets, not on the
// scales they happen to have, so that equal buckets give equal bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/codec/codec.h"

namespace statmill {

// Columns of equal length, one entry per bucket, slots ascending. Where every bucket is one observation all
// follows from the sums, and the columns after them are empty.
template <class Number, class Squares>
struct Columns {
  std::vector<Slot> slots;
  std::vector<Number> sums;
  std::vector<uint64_t> counts;
  std::vector<Number> mins;
  std::vector<Number> maxs;
  std::vector<Squares> squares;  // decimals: sums of squares; doubles: M2

  size_t size() const { return slots.size(); }
  bool is_single() const { return counts.empty(); }
};
using DecimalColumns = Columns<int64_t, Int128>;
using RealColumns = Columns<double, double>;

struct Group {
  Combine combine = Combine::kMerge;
  bool is_decimal = true;
  int8_t scale = 0;         // of decimals: value = integer / 10^scale
  DecimalColumns decimals;  // one of the two is empty
  RealColumns reals;
};

// What a codec makes of a group's bytes.
struct DecodedGroup {
  Combine combine = Combine::kMerge;
  std::vector<SlotBucket> buckets;  // ascending slots, each once, none empty
};

// One observation of what the events of a slot add up to: all that is kept of them.
Bucket total_of(const Bucket& events);

// The groups that hold all of `buckets`, none empty: usually one. Few buckets with far more digits than the
// others get a group of their own, where that is shorter.
std::vector<Group> group_buckets(Combine combine, std::span<const SlotBucket> buckets);

}  // namespace statmill
