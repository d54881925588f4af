#include "proto/histogram_partition.h"

#include <algorithm>
#include <cstdlib>

#include "base/check.h"

namespace statmill {
namespace {

constexpr uint64_t kWidth = uint64_t{1} << kHistogramShift;  // width of a bucket, in bits of its doubles

// Returns the double with the magnitude that these bits encode, at most the
// largest double, and the sign of the index.
double with_sign_of(HistogramIndex index, uint64_t magnitude) {
  const uint64_t last = std::bit_cast<uint64_t>(std::numeric_limits<double>::max());
  const double value = std::bit_cast<double>(std::min(magnitude, last));
  return index < 0 ? -value : value;
}

// Returns the bits of the edge nearer to zero. Requires: index != 0.
uint64_t lower_bits(HistogramIndex index) {
  return static_cast<uint64_t>(std::abs(index) - 1) << kHistogramShift;
}

}  // namespace

double histogram_lower_edge(HistogramIndex index) {
  SM_CHECK(is_histogram_index(index));
  return index == 0 ? 0 : with_sign_of(index, lower_bits(index));
}

double histogram_upper_edge(HistogramIndex index, int joined_power) {
  SM_CHECK(is_histogram_index(index) && index == joined_index(index, joined_power));
  return index == 0 ? 0 : with_sign_of(index, lower_bits(index) + (kWidth << joined_power));
}

double histogram_midpoint(HistogramIndex index, int joined_power) {
  SM_CHECK(is_histogram_index(index) && index == joined_index(index, joined_power));
  // All doubles of a bucket have the same exponent, and with one exponent doubles are linear in their bits.
  return index == 0 ? 0 : with_sign_of(index, lower_bits(index) + (kWidth / 2 << joined_power));
}

}  // namespace statmill
