// sort_by_slot(): sorts items by their slots and merges those of the same slot.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace statmill {

// Sorts `items`, which have a member `slot`, by ascending slot. Calls merge(to, from) for two items of the
// same slot, in the order in which `items` has them, so that each slot is left once. Cost: O(n) if they
// ascend already, else O(n log n).
template <class Item, class Merge>
void sort_by_slot(std::vector<Item>& items, const Merge& merge) {
  const auto before = [](const Item& a, const Item& b) { return a.slot < b.slot; };
  const auto not_before = [&](const Item& a, const Item& b) { return !before(a, b); };
  if (std::adjacent_find(items.begin(), items.end(), not_before) == items.end()) return;
  std::stable_sort(items.begin(), items.end(), before);
  size_t kept = 0;
  for (size_t i = 1; i < items.size(); ++i) {
    if (items[i].slot == items[kept].slot) {
      merge(items[kept], items[i]);
    } else if (++kept != i) {
      items[kept] = std::move(items[i]);
    }
  }
  items.resize(kept + 1);
}

}  // namespace statmill
