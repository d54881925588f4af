// See histogram_partition.h.
#include "proto/histogram_partition.h"

#include <algorithm>
#include <cstdlib>

#include "base/check.h"

namespace statmill {
namespace {

// The double whose magnitude has these bits, with the sign of the index.
double with_sign_of(HistogramIndex index, uint64_t magnitude) {
  const double value = std::bit_cast<double>(magnitude);
  return index < 0 ? -value : value;
}

// The bits of the edge nearer to zero. Requires: index != 0.
uint64_t lower_bits(HistogramIndex index) {
  return static_cast<uint64_t>(std::abs(index) - 1) << kHistogramShift;
}

}  // namespace

double histogram_lower_edge(HistogramIndex index) {
  SM_CHECK(is_histogram_index(index));
  return index == 0 ? 0 : with_sign_of(index, lower_bits(index));
}

double histogram_upper_edge(HistogramIndex index) {
  SM_CHECK(is_histogram_index(index));
  if (index == 0) return 0;
  const uint64_t last = std::bit_cast<uint64_t>(std::numeric_limits<double>::max());
  return with_sign_of(index, std::min(lower_bits(index) + (uint64_t{1} << kHistogramShift), last));
}

double histogram_midpoint(HistogramIndex index) {
  SM_CHECK(is_histogram_index(index));
  // Bits of one exponent ascend evenly, and a bucket has but one.
  return index == 0 ? 0 : with_sign_of(index, lower_bits(index) + (uint64_t{1} << (kHistogramShift - 1)));
}

}  // namespace statmill
