// LateItems: what arrived for older slots of a series, such as a backfill from the newest slot to the oldest.
//
// An item that is out of order is appended. When as many are appended as are in order, all of them are sorted
// and those of the same slot merge: n items cost O(n log n) in whichever order they arrive, and memory for at
// most twice the slots.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "storage/ids.h"
#include "storage/sort_by_slot.h"

namespace statmill {

// An Item has a member `slot`. All calls get the same `merge`, which is called as merge(to, from).
template <class Item>
class LateItems {
 public:
  // Cost: O(log n), averaged over many calls.
  template <class Merge>
  void add(Item item, const Merge& merge) {
    if (!items_.empty() && items_.back().slot == item.slot) return merge(items_.back(), item);
    const bool is_in_order = ordered_ == items_.size() && (items_.empty() || items_.back().slot < item.slot);
    items_.push_back(std::move(item));
    if (is_in_order) {
      ++ordered_;
    } else if (items_.size() >= 2 * ordered_ + kUnorderedMin) {
      sort_by_slot(items_, merge);
      ordered_ = items_.size();
    }
  }

  bool is_empty() const { return items_.empty(); }
  // A copy, ascending, each slot once. Cost: O(n log n).
  template <class Merge>
  std::vector<Item> ordered(const Merge& merge) const {
    std::vector<Item> out = items_;
    if (ordered_ < out.size()) sort_by_slot(out, merge);
    return out;
  }
  // Requires: not empty. Cost: O(n).
  Slot oldest_slot() const {
    return std::ranges::min_element(items_, {}, [](const Item& item) { return item.slot; })->slot;
  }
  size_t capacity() const { return items_.capacity(); }  // in items

 private:
  static constexpr size_t kUnorderedMin = 16;  // a sort for fewer would cost more than it saves

  std::vector<Item> items_;
  size_t ordered_ = 0;  // as many of them, from the first, ascend and have each slot once
};

}  // namespace statmill
