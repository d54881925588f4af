// Plan: which tier answers a request, at which step, over which aligned range. Pure arithmetic.
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "server/query/query.h"
#include "storage/tiers.h"

namespace statmill {

struct QueryPlan {
  TierNo tier = 0;
  int64_t step_s = 0;  // a multiple of the tier's step
  int64_t from_s = 0;  // multiples of step_s, half open
  int64_t until_s = 0;

  size_t points() const { return static_cast<size_t>((until_s - from_s) / step_s); }
};

// The finest tier that covers `from` and yields at most the asked points; with a step asked for, the coarsest
// tier that covers `from` and divides the step. The step is rounded up to the tier's, and raised until the
// points fit. Errors: kInvalid (empty range, step or points below 1), kLimit (more than `points_max` points).
Result<QueryPlan> make_plan(const QueryRequest& request, const Tiers& tiers, int64_t points_max,
                            Timestamp now);

}  // namespace statmill
