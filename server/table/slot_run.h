// SlotRun: a short run of slots with their partial buckets, ascending, each slot once. What a series holds in
// RAM.
//
// Samples come mostly in order, so the last slot is tried first; a late one is found by binary search.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "storage/codec.h"

namespace statmill {

class SlotRun {
 public:
  // The bucket of `slot`, empty when it is new. Valid until the next call.
  Bucket& at(Slot slot) {
    if (slots_.empty() || slots_.back().slot < slot) return slots_.emplace_back(SlotBucket{slot, {}}).bucket;
    if (slots_.back().slot == slot) return slots_.back().bucket;
    const auto it = std::lower_bound(slots_.begin(), slots_.end(), slot,
                                     [](const SlotBucket& s, Slot wanted) { return s.slot < wanted; });
    if (it->slot == slot) return it->bucket;
    return slots_.insert(it, SlotBucket{slot, {}})->bucket;
  }

  void add(Slot slot, const Bucket& bucket, Combine combine) {
    Bucket& mine = at(slot);
    if (combine == Combine::kAddEvents) {
      mine.add_event(bucket);
    } else {
      mine.merge(bucket);
    }
  }

  bool is_empty() const { return slots_.empty(); }
  size_t size() const { return slots_.size(); }
  std::span<const SlotBucket> view() const { return slots_; }
  void clear() { slots_.clear(); }  // keeps its memory: a series is dirty again soon
  void release() { std::vector<SlotBucket>().swap(slots_); }
  void swap(SlotRun& other) { slots_.swap(other.slots_); }

 private:
  std::vector<SlotBucket> slots_;
};

}  // namespace statmill
