// Groups: the buckets of a chunk divided into what one frame can hold, as columns: decimals at one scale, or
// doubles.
//
// A group depends only on the values of its buckets, not on the scales that they happen to have, so that
// equal buckets yield equal bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/codec/codec.h"

namespace statmill {

// Columns of equal length, one entry per bucket, ascending slots. If every bucket is one observation, all
// numbers follow from the sums and the columns after them are empty.
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

  size_t size() const { return is_decimal ? decimals.size() : reals.size(); }
};

// A decoded frame.
struct DecodedGroup {
  Combine combine = Combine::kMerge;
  std::vector<SlotBucket> buckets;  // ascending slots, each once, none empty
};

// Returns bucket i of columns of doubles; numbers whose column is empty are 0.
Bucket real_bucket(const RealColumns& columns, size_t i);

// Returns one observation of the slot's total, which is all that is kept of events.
Bucket total_of(const Bucket& events);

// Returns groups that together hold all of `buckets`; no group is empty, and usually there is one. A few
// buckets with far more digits than the others get a group of their own if that is shorter.
std::vector<Group> group_buckets(Combine combine, std::span<const SlotBucket> buckets);

}  // namespace statmill
