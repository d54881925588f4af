// SlotBucket: one bucket of a series and its slot, and how two lists of them are combined.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proto/sample.h"
#include "storage/bucket.h"
#include "storage/ids.h"

namespace statmill {

struct SlotBucket {
  Slot slot = 0;
  Bucket bucket;
  friend bool operator==(const SlotBucket&, const SlotBucket&) = default;
};

// How two buckets of the same slot are combined. Gauges and distributions merge. For events and counters the
// finest tier holds totals, which are added; its coarser tiers hold buckets of rates, which merge.
enum class Combine : uint8_t { kMerge = 0, kAddEvents = 1 };

// Returns how buckets of the finest tier are combined.
inline constexpr Combine combine_of(Kind kind) {
  return adds_up(kind) ? Combine::kAddEvents : Combine::kMerge;
}

inline void combine_bucket(Bucket& a, const Bucket& b, Combine combine) {
  combine == Combine::kAddEvents ? a.add_event(b) : a.merge(b);
}

// Combines `b` into `a`, slot by slot. Requires: both ascend and hold each slot once.
void combine_into(std::vector<SlotBucket>& a, std::span<const SlotBucket> b, Combine combine);

}  // namespace statmill
