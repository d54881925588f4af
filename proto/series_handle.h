// SeriesHandle: where a sink of samples found the series of a name. With the next sample of that name the
// sink gets it back, and need not look for the name.
#pragma once

#include <cstdint>

namespace statmill {

// A value type. Only the sink that made it knows what it means, and whether it is still right.
struct SeriesHandle {
  uint32_t number = 0;         // the series has this number; 0: none
  uint32_t removals : 24 = 0;  // modulo 2^24, so many series of its shard had left when it was made
  uint32_t shard : 8 = 0;

  bool is_none() const { return number == 0; }
  bool operator==(const SeriesHandle&) const = default;
};
static_assert(sizeof(SeriesHandle) == 8);

}  // namespace statmill
