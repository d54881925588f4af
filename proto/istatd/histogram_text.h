// The histogram that a line may bring, `h<g> sum index:count ...`: an H2 histogram of whole numbers up to
// 2^64
// - 1, of any grouping power up to 16, and what becomes of it: cells of our own partition.
//
// With grouping power g, integers below 2^(g + 1) have a bucket each; above, each power of two has 2^g
// buckets of one width. (The layout of the Rust crate `histogram`.)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "proto/batch.h"

namespace statmill {

inline constexpr unsigned kGroupingPowerMax = 16;

// The integers of one bucket.
struct H2Bucket {
  uint64_t least = 0;
  uint64_t greatest = 0;  // it is in the bucket

  double middle() const { return static_cast<double>(least) + static_cast<double>(greatest - least) / 2; }
};

// How many buckets there are. Requires: grouping power <= kGroupingPowerMax.
uint64_t h2_bucket_count(unsigned grouping_power);
// Requires: that, and index < h2_bucket_count().
H2Bucket h2_bucket(unsigned grouping_power, uint64_t index);

// `h5`; none when it is anything else.
std::optional<unsigned> read_grouping_power(std::string_view text);

// The cells between white space, at least one, and all that follows from them: a ready-made bucket whose
// cells `batch` keeps. Those of an H2 bucket are taken as its middle; with a grouping power of 5 and more it
// lies whole in one of ours, so nothing is lost. Refused, and then `batch` is as before: kBadValue,
// kOutOfRange (no such bucket), kBadBucket (indices that do not ascend; a count of 0; 2^48 of all and more).
// Requires: grouping power <= kGroupingPowerMax.
std::optional<Refusal> read_histogram_cells(std::string_view text, unsigned grouping_power, Batch& batch,
                                            ReadyBucket& ready);

}  // namespace statmill
