// Bins: the points of a query by range and step, and the tiers they are read from. Pure arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/query/query.h"
#include "storage/tiers.h"

namespace statmill {

// If `tier` is the detail tier, `edge_tier` is, too.
struct BinPlan {
  Bins bins;
  TierNo tier = 0;       // read wherever its whole slots cover the bin
  TierNo edge_tier = 0;  // the finest that still has the range: for the rest, and for what is not rolled up
};

// Chooses, without a step in the request, the finest one that yields at most max_points bins
// (QueryLimits::kDefaultPoints if it is unset): 1, 2, 3, 6, 12, 15, 18, 30 or 60 slots of any tier that still
// has `from`, then whole hours, days and weeks. A step in the request is rounded up to whole slots of such a
// tier, and raised until max_points suffice. Bins begin at multiples of the step, so that asking again later
// yields the same bins; only a single bin begins at `from`. The range is widened to slots of the finest tier
// (but for the detail tier) that has it, or to whole bins if the request says so. `tiers` have the shortest
// retention of all series that are asked for. The plan has more than `points_max` bins if the request asks
// for them: its caller refuses it then. Errors: kInvalid (empty range, step or points below 1). The detail
// tier is read if it keeps `from` and the step is not one of whole slots of the finest tier.
Result<BinPlan> plan_bins(const QueryRequest& request, const Tiers& tiers, int64_t points_max, Timestamp now);

// Returns the tier whose slots the totals of events and counters are of, and so their rates.
inline const Tier& totals_tier(const BinPlan& plan, const Tiers& tiers) {
  return tiers.is_detail(plan.edge_tier) ? tiers.detail() : tiers.finest();
}

}  // namespace statmill
