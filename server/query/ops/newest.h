// The newest present element of each window: what an instant selector answers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "server/query/numbers.h"
#include "server/query/ops/window.h"

namespace statmill {

// Returns the length of windows that move by one element from each to the next, as when the step of a query
// is one slot; nullopt if they move in any other way. Windows are cut at element 0.
std::optional<uint32_t> sliding_length(std::span<const SlotWindow> windows);

// Returns the newest integer of each window; `present` says which elements are present. `sliding`: what
// sliding_length() returns for these windows. Requires: the windows' ends ascend; `integers` has the size of
// `present`. Cost: a copy per row of present elements if the windows slide, otherwise about a ns per element.
Numbers newest_integers(const Presence& present, const std::vector<int64_t>& integers, int8_t scale,
                        std::span<const SlotWindow> windows, std::optional<uint32_t> sliding);

// Calls use(window, element) for each window that has a present element, with the newest one. Requires: the
// windows' ends ascend.
template <class Use>
void for_each_newest(const Presence& present, std::span<const SlotWindow> windows, Use use) {
  size_t seen = 0;                 // elements before this one have been looked at
  size_t newest = present.size();  // the last present one of them; size() if there is none
  for (size_t w = 0; w < windows.size(); ++w) {
    const SlotWindow& window = windows[w];
    for (seen = std::max<size_t>(seen, window.begin); seen < window.end; ++seen) {
      if (present[seen]) newest = seen;
    }
    if (newest >= window.begin && newest < window.end) use(w, newest);
  }
}

}  // namespace statmill
