// SlotShare: how the samples of a slot fall into its seconds, so that the seconds add up to the slot exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "server/demo/noise.h"

namespace statmill {

// One of `count` equal parts of a slot; as it is made, the whole slot. Requires: 0 <= index < count.
struct SlotShare {
  int64_t index = 0;
  int64_t count = 1;
};

// Returns how many of `total` things fall into the share. The numbers of all shares add up to `total`. They
// differ by up to about `spread` of their mean; where there are few things, they fall into any share. `key`
// chooses the numbers. Requires: 0 <= total < 2^50, 0 <= spread <= 1.
inline int64_t part_of(int64_t total, SlotShare share, double spread, uint64_t key) {
  // Things before the end of share `end` - 1. It grows with `end`, since no end moves by more than half a
  // share.
  const auto before = [&](int64_t end) {
    if (end == 0 || end == share.count) return end == 0 ? 0 : total;
    const double moved = static_cast<double>(end) + spread * (white_noise(key, end) - 0.5);
    const double things = static_cast<double>(total) * moved / static_cast<double>(share.count);
    return std::min(total, static_cast<int64_t>(std::floor(things + white_noise(key, 0))));
  };
  return before(share.index + 1) - before(share.index);
}

// The same for things that come together: all of them fall into half of the shares or so, those from some
// share on, round the end of the slot.
inline int64_t part_of_burst(int64_t total, SlotShare share, double spread, uint64_t key) {
  if (share.count == 1) return total;
  const auto count = static_cast<double>(share.count);
  const auto length = std::max<int64_t>(1, std::llround(count * (0.35 + 0.35 * white_noise(key, -1))));
  const auto first = static_cast<int64_t>(count * white_noise(key, -2));
  const int64_t index = (share.index + first) % share.count;
  return index < length ? part_of(total, {index, length}, spread, key) : 0;
}

}  // namespace statmill
