#include "server/query/bins.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "server/query/tier_choice.h"

namespace statmill {
namespace {

constexpr int64_t kHour_s = 3600;
constexpr int64_t kDay_s = 86'400;
constexpr int64_t kWeek_s = 7 * kDay_s;
constexpr std::array<int64_t, 9> kSlotsOfStep = {1, 2, 3, 6, 12, 15, 18, 30, 60};

int64_t round_down(int64_t value, int64_t step) { return value / step * step; }
int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

// Returns the coarsest tier whose step divides `step_s`, which costs the least to read; not finer than
// `finest`.
TierNo coarsest_dividing(const Tiers& tiers, TierNo finest, int64_t step_s) {
  for (size_t t = tiers.count(); t-- > finest;) {
    if (step_s % tiers[t].step_s == 0) return static_cast<TierNo>(t);
  }
  return finest;
}

int64_t bins_of(int64_t from_s, int64_t until_s, int64_t step_s) {
  return (round_up(until_s, step_s) - round_down(from_s, step_s)) / step_s;
}

// Returns a step above those of all tiers: whole hours, days or weeks, and whole slots of `slot_s`.
int64_t long_step(int64_t from_s, int64_t until_s, int64_t points, int64_t slot_s) {
  int64_t step = std::max((until_s - from_s) / points, kHour_s);
  do {
    const int64_t unit = step < kDay_s ? kHour_s : step < kWeek_s ? kDay_s : kWeek_s;
    step = round_up(step + 1, unit);
  } while (step % slot_s != 0 || bins_of(from_s, until_s, step) > points);
  return step;
}

// Returns the finest step that yields at most `points` bins. Requires: points > 1.
int64_t step_for_points(int64_t from_s, int64_t until_s, int64_t points, const Tiers& tiers, TierNo finest) {
  int64_t best = std::numeric_limits<int64_t>::max();
  for (size_t t = finest; t < tiers.count(); ++t) {
    for (const int64_t slots : kSlotsOfStep) {
      const int64_t step = slots * tiers[t].step_s;
      if (step < best && step % tiers[finest].step_s == 0 && bins_of(from_s, until_s, step) <= points)
        best = step;
    }
  }
  return best != std::numeric_limits<int64_t>::max()
             ? best
             : long_step(from_s, until_s, points, tiers[finest].step_s);
}

Status check(const QueryRequest& request) {
  if (request.from_s >= request.until_s) return Error{ErrorCode::kInvalid, "from is not before until"};
  if (request.step_s && *request.step_s < 1) return Error{ErrorCode::kInvalid, "step is below 1 second"};
  if (request.max_points && *request.max_points < 1)
    return Error{ErrorCode::kInvalid, "max_points is below 1"};
  return Status::ok();
}

// Sets the bins from the first one on, for a range and a step that are chosen.
void cut_bins(const QueryRequest& request, Bins& bins) {
  bins.count = static_cast<size_t>((bins.until_s - bins.first_s + bins.step_s - 1) / bins.step_s);
  if (!request.align) return;
  bins.from_s = bins.first_s;
  bins.until_s = bins.end_s();
}

// Returns the step of seconds that the request asks for, or the finest one that yields at most `points` bins
// of `range`; 0 if whole slots of the finest tier are as good.
int64_t detail_step(const QueryRequest& request, const Tiers& tiers, const Bins& range, int64_t points) {
  const int64_t finest_s = tiers.finest().step_s;
  const auto fits = [&](int64_t step_s) { return bins_of(range.from_s, range.until_s, step_s) <= points; };
  if (request.step_s && fits(*request.step_s)) return *request.step_s % finest_s == 0 ? 0 : *request.step_s;
  for (const int64_t slots : kSlotsOfStep) {
    const int64_t step_s = slots * tiers.detail().step_s;
    if (fits(step_s)) return step_s % finest_s == 0 ? 0 : step_s;
  }
  return 0;
}

// Reads the detail tier instead, if that is finer than the plan. The range stays one of whole slots of the
// finest tier.
void use_detail(const QueryRequest& request, const Tiers& tiers, int64_t points, BinPlan& plan) {
  const int64_t finest_s = tiers.finest().step_s;
  Bins bins = plan.bins;
  bins.from_s = round_down(request.from_s, finest_s);
  bins.until_s = round_up(request.until_s, finest_s);
  bins.step_s = detail_step(request, tiers, bins, points);
  if (bins.step_s == 0 || bins.step_s >= plan.bins.step_s) return;
  bins.first_s = round_down(bins.from_s, bins.step_s);
  cut_bins(request, bins);
  plan = {bins, tiers.detail_no(), tiers.detail_no()};
}

}  // namespace

Result<BinPlan> plan_bins(const QueryRequest& request, const Tiers& tiers, int64_t points_max,
                          Timestamp now) {
  if (Status s = check(request); !s) return s.error();
  const int64_t points =
      request.max_points.value_or(request.step_s ? points_max : QueryLimits::kDefaultPoints);
  BinPlan plan;
  plan.edge_tier = finest_covering(tiers, request.from_s, unix_seconds(now));
  const int64_t slot_s = tiers[plan.edge_tier].step_s;
  Bins& bins = plan.bins;
  bins.from_s = round_down(request.from_s, slot_s);
  bins.until_s = round_up(request.until_s, slot_s);
  if (request.step_s) bins.step_s = round_up(*request.step_s, slot_s);
  const bool fits = request.step_s && bins_of(bins.from_s, bins.until_s, bins.step_s) <= points;
  if (!fits && points > 1) {
    const int64_t asked_s = bins.step_s;
    bins.step_s = step_for_points(bins.from_s, bins.until_s, points, tiers, plan.edge_tier);
    if (request.step_s && !request.max_points)
      bins.step_s = asked_s;  // over points_max: for the caller to refuse
  } else if (!fits) {
    bins.step_s = bins.until_s - bins.from_s;
  }
  bins.first_s = !fits && points == 1 ? bins.from_s : round_down(bins.from_s, bins.step_s);
  cut_bins(request, bins);
  plan.tier = coarsest_dividing(tiers, plan.edge_tier, bins.step_s);
  if (points > 1 && tiers.keep_detail() && covers(tiers.detail(), bins.from_s, unix_seconds(now)))
    use_detail(request, tiers, points, plan);
  return plan;
}

}  // namespace statmill
