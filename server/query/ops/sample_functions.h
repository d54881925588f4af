// Functions of the single samples in a window, by the algorithms of Prometheus: of gauges, whose samples lie
// in the middle of their slots, and of the points of a subquery.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "server/query/series_source.h"

namespace statmill {

// The samples of one series, oldest first. Views; the spans are of one size.
struct SampleWindow {
  std::span<const int64_t> times_ms;
  std::span<const double> values;
  int64_t begin_ms = 0;  // the edges of the window, to which rates extrapolate
  int64_t end_ms = 0;
  int64_t point_ms = 0;  // where the query is evaluated: `end_ms` without the offset
};

// Returns nullopt if there are too few samples. `parameters` are those of LeafRequest at this point.
// kInstant and kLast return the last value. Cost: linear; kQuantile and kMad copy and sort the values.
// Requires: not kBuckets, begin_ms < end_ms, as many parameters as the function has.
std::optional<double> sample_function(LeafFunction function, const SampleWindow& window,
                                      std::span<const double> parameters);

// Returns the quantile of `values`, interpolated between the two nearest ranks: -infinity for q < 0,
// +infinity for q > 1, NaN if q is NaN or there are no values. Sorts `values`; NaN comes first.
double interpolated_quantile(double q, std::span<double> values);

// Errors: kInvalid if both smoothing factors are not between 0 and 1. Functions without such parameters are
// always valid.
Status check_sample_parameters(LeafFunction function, std::span<const double> parameters);

}  // namespace statmill
