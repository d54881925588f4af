// Lists that fill up within an epoch and are emptied at its end: thousands of entries when senders send at
// once, a few or none in the ticks after.
#pragma once

#include <cstddef>
#include <vector>

namespace statmill {

// Empties the list. Keeps memory for as much as there was, not for a burst of long ago.
template <class T>
void clear_burst(std::vector<T>& list) {
  constexpr size_t kKept = 64;  // so few are kept at any rate
  const bool is_oversized = list.capacity() > kKept && list.size() < list.capacity() / 8;
  if (is_oversized) std::vector<T>().swap(list);
  list.clear();
}

}  // namespace statmill
