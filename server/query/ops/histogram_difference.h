// The difference of two distributions: what is left of the samples of one without those of another.
//
// Counts per cell, the count and the sum are subtracted, as in Prometheus. A distribution has no negative
// counts and at least one sample, so other differences do not exist here. Pure.
#pragma once

#include <optional>

#include "storage/bucket.h"
#include "storage/histogram.h"

namespace statmill {

// A histogram, and the bucket of the same samples.
struct Distribution {
  Bucket bucket;
  SparseHistogram histogram;
};

// Returns nullopt if a cell of `less` has more samples than that of `all`, or no samples are left. The sum is
// the double nearest to the exact difference if both are decimals. The minimum and the maximum are exact if
// `less` has no samples in the outermost cell; otherwise they are those of `histogram`, to 1.6 %.
std::optional<Distribution> difference(const Distribution& all, const Distribution& less);

}  // namespace statmill
