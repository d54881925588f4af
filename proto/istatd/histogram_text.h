// Parser for the histogram in a line, `h<g> sum index:count ...`: an H2 histogram of integers up to 2^64 - 1
// with grouping power g up to 16 (statmill/h2.h). It is converted to cells of our own partition.
#pragma once

#include <optional>
#include <string_view>

#include "base/verdict.h"
#include "proto/batch.h"

namespace statmill {

inline constexpr unsigned kGroupingPowerMax = 16;

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
