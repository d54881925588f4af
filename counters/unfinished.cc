#include "counters/unfinished.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace statmill {

uint64_t sum_missing_max(unsigned grouping_power, std::span<const uint64_t> buckets,
                         std::span<const uint64_t> finished) {
  uint64_t missing = 0;
  for (size_t group = 0; group < finished.size(); ++group) {
    const auto in_group = buckets.subspan(group << grouping_power, size_t{1} << grouping_power);
    const uint64_t started = std::accumulate(in_group.begin(), in_group.end(), uint64_t{0});
    if (started <= finished[group]) continue;
    const size_t last = ((group + 1) << grouping_power) - 1;
    uint64_t most = 0;
    if (__builtin_mul_overflow(started - finished[group], h2::upper_bound(grouping_power, last), &most) ||
        __builtin_add_overflow(missing, most, &missing))
      return std::numeric_limits<uint64_t>::max();
  }
  return missing;
}

}  // namespace statmill
