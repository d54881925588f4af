// Parser for the histogram in a line, `h<g> sum index:count ...`: an H2 histogram of integers up to 2^64 - 1
// with grouping power g up to 16. It is converted to cells of our own partition.
//
// With grouping power g, integers below 2^(g + 1) have a bucket each; above, each power of two has 2^g
// buckets of equal width (the layout of the Rust crate `histogram`).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/verdict.h"
#include "proto/batch.h"

namespace statmill {

inline constexpr unsigned kGroupingPowerMax = 16;

// The range of integers in one bucket, both ends included.
struct H2Bucket {
  uint64_t least = 0;
  uint64_t greatest = 0;

  double middle() const { return static_cast<double>(least) + static_cast<double>(greatest - least) / 2; }
};

// Requires: grouping_power <= kGroupingPowerMax.
uint64_t h2_bucket_count(unsigned grouping_power);
// Requires: also index < h2_bucket_count(grouping_power).
H2Bucket h2_bucket(unsigned grouping_power, uint64_t index);

// Parses `h5` and the like. Returns nullopt if `text` is anything else
// or the power exceeds kGroupingPowerMax.
std::optional<unsigned> read_grouping_power(std::string_view text);

// Parses one or more cells, separated by white space, into a ready-made bucket whose cells `batch` keeps. The
// samples of an H2 bucket count at its middle. With a grouping power of 5 or more it lies inside one of our
// buckets, so nothing is lost. Refuses with kBadValue, kOutOfRange (no such bucket) or kBadBucket (indices do
// not ascend, a count is 0, or all counts together reach 2^48); `batch` is then unchanged.
// Requires: grouping_power <= kGroupingPowerMax.
Verdict<Refusal> read_histogram_cells(std::string_view text, unsigned grouping_power, Batch& batch,
                                      ReadyBucket& ready);

}  // namespace statmill
