// Plan: chooses the tier, the step and the aligned range of a query. Pure arithmetic.
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "server/query/query.h"
#include "storage/tiers.h"

namespace statmill {

struct QueryPlan {
  TierNo tier = 0;
  int64_t step_s = 0;  // a multiple of the tier's step
  int64_t from_s = 0;  // half-open range of multiples of step_s
  int64_t until_s = 0;

  size_t points() const { return static_cast<size_t>((until_s - from_s) / step_s); }
};

// Without a step in the request, chooses the finest tier that covers `from` and yields at most the requested
// points. With a step, chooses the coarsest tier that covers `from` and whose step divides it; the step is
// rounded up to a multiple of the tier's, and raised until the points fit. Errors: kInvalid (empty range,
// step or points below 1), kLimit (more than `points_max` points).
Result<QueryPlan> make_plan(const QueryRequest& request, const Tiers& tiers, int64_t points_max,
                            Timestamp now);

}  // namespace statmill
