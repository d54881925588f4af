// Groups: the buckets of a chunk sorted into what one frame can hold: decimals at one scale, or doubles.
//
// What every codec of buckets encodes from and decodes to. A group depends only on the values of its buckets,
// not on the scales they happen to have, so that equal buckets give equal bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/codec.h"

namespace statmill {

template <class Numbers>
struct Row {
  Slot slot = 0;
  uint64_t count = 0;
  Numbers numbers;
};

// One of the two lists is empty. Rows have ascending slots.
struct Group {
  Combine combine = Combine::kMerge;
  std::vector<Row<Bucket::Decimal>> decimals;  // all of the same scale
  std::vector<Row<Bucket::Real>> reals;
};

// The groups that hold all of `buckets`, none empty: usually one.
std::vector<Group> group_buckets(Combine combine, std::span<const SlotBucket> buckets);

// The buckets of a group; decimals at the smallest scale that holds them, so that what they meet later
// overflows no sooner than it must.
std::vector<SlotBucket> buckets_of(const Group& group);

}  // namespace statmill
