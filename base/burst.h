// Lists that fill up within an epoch and are emptied at its end: thousands of entries when senders send at
// once, a few or none in the ticks after.
#pragma once

#include <cstddef>

namespace statmill {

// Empties the list. Keeps memory for as much as there was, not for a burst of long ago.
template <class List>
void clear_burst(List& list) {
  constexpr size_t kKept = 64;  // so few are kept at any rate
  const bool is_oversized = list.capacity() > kKept && list.size() < list.capacity() / 8;
  if (is_oversized) List().swap(list);
  list.clear();
}

}  // namespace statmill
