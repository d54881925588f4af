#include "server/query/plan.h"

#include <algorithm>
#include <numeric>

namespace statmill {
namespace {

int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

bool covers(const Tier& tier, int64_t from_s, int64_t now_s) { return from_s >= now_s - tier.retention_s; }

// Steps that people read easily, in seconds; larger ones are whole days.
constexpr int64_t kRoundSteps[] = {1,   2,    5,    10,   15,   20,    30,    60,    120,   300,   600,
                                   900, 1200, 1800, 3600, 7200, 10800, 14400, 21600, 28800, 43200, 86400};

// Returns a multiple of the tier's step that yields at most `points`: the smallest round one.
int64_t step_for(int64_t range_s, int64_t points, int64_t tier_step_s) {
  const int64_t least = round_up(std::max(tier_step_s, (range_s + points - 1) / points), tier_step_s);
  for (const int64_t step : kRoundSteps) {
    if (step >= least && step % tier_step_s == 0) return step;
  }
  return round_up(least, std::lcm<int64_t>(86400, tier_step_s));
}

// Returns the coarsest tier that covers `from_s` and whose step divides `step_s`, which costs the least to
// read. If there is none: the finest tier that covers `from_s`, or else the coarsest tier.
TierNo tier_for_step(int64_t step_s, const Tiers& tiers, int64_t from_s, int64_t now_s) {
  for (size_t t = tiers.count(); t-- > 0;) {
    if (covers(tiers[t], from_s, now_s) && step_s % tiers[t].step_s == 0) return static_cast<TierNo>(t);
  }
  for (size_t t = 0; t < tiers.count(); ++t) {
    if (covers(tiers[t], from_s, now_s)) return static_cast<TierNo>(t);
  }
  return static_cast<TierNo>(tiers.count() - 1);
}

TierNo tier_for_points(int64_t points, const Tiers& tiers, const QueryRequest& request, int64_t now_s) {
  for (size_t t = 0; t < tiers.count(); ++t) {
    const bool fits = (request.until_s - request.from_s) / tiers[t].step_s <= points;
    if (fits && covers(tiers[t], request.from_s, now_s)) return static_cast<TierNo>(t);
  }
  return static_cast<TierNo>(tiers.count() - 1);
}

}  // namespace

Result<QueryPlan> make_plan(const QueryRequest& request, const Tiers& tiers, int64_t points_max,
                            Timestamp now) {
  if (request.from_s >= request.until_s) return Error{ErrorCode::kInvalid, "from is not before until"};
  if (request.step_s && *request.step_s < 1) return Error{ErrorCode::kInvalid, "step is below 1 second"};
  if (request.max_points && *request.max_points < 1)
    return Error{ErrorCode::kInvalid, "max_points is below 1"};
  const int64_t points =
      request.max_points.value_or(request.step_s ? points_max : QueryLimits::kDefaultPoints);
  QueryPlan plan;
  const int64_t now_s = unix_seconds(now);
  plan.tier = request.step_s ? tier_for_step(*request.step_s, tiers, request.from_s, now_s)
                             : tier_for_points(points, tiers, request, now_s);
  const int64_t tier_s = tiers[plan.tier].step_s;
  const int64_t range_s = request.until_s - request.from_s;
  if (request.step_s) {
    plan.step_s = round_up(*request.step_s, tier_s);
    if (request.max_points && range_s / plan.step_s > points)
      plan.step_s = step_for(range_s, points, plan.step_s);
  } else {
    plan.step_s = range_s / tier_s <= points ? tier_s : step_for(range_s, points, tier_s);
  }
  plan.from_s = request.from_s / plan.step_s * plan.step_s;
  plan.until_s = round_up(request.until_s, plan.step_s);
  if (static_cast<int64_t>(plan.points()) > points_max) {
    return Error{ErrorCode::kLimit, "the answer would have " + std::to_string(plan.points()) +
                                        " points, the limit is " + std::to_string(points_max) +
                                        ": ask for a larger step"};
  }
  return plan;
}

}  // namespace statmill
