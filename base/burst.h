// clear_burst: empties lists that fill up during a tick. A tick may bring thousands of entries when many
// senders send at once, and the following ticks few or none.
#pragma once

#include <cstddef>

namespace statmill {

// Empties the list. Keeps its memory for the next tick, but releases it once the list has become much smaller
// than its capacity.
template <class List>
void clear_burst(List& list) {
  constexpr size_t kKept = 64;  // a capacity up to this is always kept
  const bool is_oversized = list.capacity() > kKept && list.size() < list.capacity() / 8;
  if (is_oversized) List().swap(list);
  list.clear();
}

}  // namespace statmill
