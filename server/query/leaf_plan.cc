#include "server/query/leaf_plan.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "server/query/tier_choice.h"

namespace statmill {
namespace {

constexpr int64_t kSamplesRange_ms = int64_t{2} * 86'400 * 1000;
constexpr int64_t kSamplesStepMax_s = 300;

int64_t floor_to(int64_t value, int64_t step) {
  const int64_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}
int64_t ceil_to(int64_t value, int64_t step) { return -floor_to(-value, step); }

// The moments of the first and the last window's end.
struct Ends {
  int64_t first_ms = 0;
  int64_t last_ms = 0;
};

// Returns whether every window is made of whole slots of this step.
bool divides(int64_t slot_ms, const LeafRequest& request, const Ends& ends) {
  const bool has_steps = ends.first_ms != ends.last_ms;
  return request.range_ms % slot_ms == 0 && ends.first_ms % slot_ms == 0 &&
         (!has_steps || request.grid.step_ms % slot_ms == 0);
}

// Returns whether the detail tier is read: for steps of seconds that no whole slots of the finest tier make.
bool reads_detail(const LeafRequest& request, LeafForm form, const Tiers& tiers, const Ends& ends,
                  Timestamp now) {
  if (!tiers.keep_detail() || form == LeafForm::kRunningTotals || ends.first_ms == ends.last_ms) return false;
  const int64_t detail_ms = tiers.detail().step_s * 1000;
  const bool is_of_seconds = request.grid.step_ms % detail_ms == 0 && ends.first_ms % detail_ms == 0;
  const bool is_finer = request.grid.step_ms % (tiers.finest().step_s * 1000) != 0;
  const int64_t oldest_s = floor_to(ends.first_ms - request.range_ms, 1000) / 1000;
  return is_of_seconds && is_finer && covers(tiers.detail(), oldest_s, unix_seconds(now));
}

TierNo choose_tier(const LeafRequest& request, LeafForm form, const Tiers& tiers, const Ends& ends,
                   Timestamp now) {
  if (reads_detail(request, form, tiers, ends, now)) return tiers.detail_no();
  const int64_t oldest_ms = ends.first_ms - request.range_ms;
  const TierNo finest = finest_covering(tiers, floor_to(oldest_ms, 1000) / 1000, unix_seconds(now));
  if (form == LeafForm::kBuckets && !reads_newest(request.function)) {
    for (size_t t = tiers.count(); t-- > finest;) {
      if (divides(tiers[t].step_s * 1000, request, ends)) return static_cast<TierNo>(t);
    }
    return finest;
  }
  if (finest > 0 || ends.last_ms - oldest_ms <= kSamplesRange_ms) return finest;
  for (size_t t = tiers.count(); t-- > finest;) {
    const int64_t step_s = tiers[t].step_s;
    if (step_s <= kSamplesStepMax_s && request.grid.step_ms % (step_s * 1000) == 0)
      return static_cast<TierNo>(t);
  }
  return finest;
}

std::string length_text(int64_t seconds) { return format_duration(std::chrono::seconds(seconds)); }

}  // namespace

bool has_one_value(const LeafRequest& request) {
  return request.at_ms && request.function != LeafFunction::kPredictLinear;
}

LeafForm leaf_form(LeafFunction function, Kind kind) {
  switch (function) {
    case LeafFunction::kPresence:
    case LeafFunction::kPresent:
    case LeafFunction::kTimestamp:
    case LeafFunction::kBuckets:
      return LeafForm::kBuckets;
    case LeafFunction::kIncrease:
    case LeafFunction::kRate:
      return kind == Kind::kGauge ? LeafForm::kSamples : LeafForm::kBuckets;
    case LeafFunction::kAvg:
    case LeafFunction::kMin:
    case LeafFunction::kMax:
    case LeafFunction::kSum:
    case LeafFunction::kCount:
    case LeafFunction::kStddev:
    case LeafFunction::kStdvar:
    case LeafFunction::kInstant:
      return adds_up(kind) ? LeafForm::kRunningTotals : LeafForm::kBuckets;
    case LeafFunction::kQuantile:
      if (kind == Kind::kDistribution) return LeafForm::kBuckets;
      [[fallthrough]];
    default:
      return adds_up(kind) ? LeafForm::kRunningTotals : LeafForm::kSamples;
  }
}

Parts leaf_parts(LeafFunction function, Kind kind) {
  const bool is_distribution = kind == Kind::kDistribution;
  switch (function) {
    case LeafFunction::kMin:
    case LeafFunction::kMax:
    case LeafFunction::kTimeOfMin:
    case LeafFunction::kTimeOfMax:
      return {.extremes = !adds_up(kind)};
    case LeafFunction::kStddev:
    case LeafFunction::kStdvar:
      return {.extremes = !adds_up(kind), .squares = !adds_up(kind)};
    case LeafFunction::kBuckets:
      return {.extremes = true, .squares = true, .histograms = is_distribution};
    case LeafFunction::kIncrease:
    case LeafFunction::kRate:
    case LeafFunction::kQuantile:
      return {.extremes = is_distribution, .squares = is_distribution, .histograms = is_distribution};
    default:
      return {};
  }
}

LeafPlan plan_leaf(const LeafRequest& request, Kind kind, const Tiers& tiers, Timestamp now) {
  LeafPlan plan;
  plan.form = leaf_form(request.function, kind);
  plan.parts = leaf_parts(request.function, kind);
  plan.grid = has_one_value(request) ? Grid{request.grid.start_ms, request.grid.start_ms, 1} : request.grid;
  const size_t points = plan.grid.points();
  const auto end_of = [&](size_t point) {
    return request.at_ms.value_or(plan.grid.at(point)) - request.offset_ms;
  };
  const Ends ends{end_of(0), end_of(points - 1)};
  plan.span.tier = choose_tier(request, plan.form, tiers, ends, now);
  const int64_t slot_ms = tiers[plan.span.tier].step_s * 1000;
  const bool is_detail = tiers.is_detail(plan.span.tier);
  const bool is_coarse = plan.span.tier > 0 && !is_detail;
  plan.totals_ms = is_detail ? slot_ms : tiers.finest().step_s * 1000;
  plan.range_ms = std::max(ceil_to(request.range_ms, plan.totals_ms), slot_ms);
  const bool reads_samples = plan.form != LeafForm::kBuckets || reads_newest(request.function);
  if (is_coarse && reads_samples)
    plan.infos.push_back("means of " + length_text(slot_ms / 1000) + " stand for samples");
  if (is_coarse && request.range_ms < slot_ms)
    plan.infos.push_back("windows are widened to " + length_text(slot_ms / 1000) +
                         ": finer slots are not kept for this range");
  plan.span.begin = std::max<int64_t>(0, ceil_to(ends.first_ms - plan.range_ms, slot_ms) / slot_ms);
  plan.span.end = std::max(plan.span.begin, ceil_to(ends.last_ms, slot_ms) / slot_ms);
  if (is_detail) {  // whole slots of the finest tier
    plan.span.begin = floor_to(plan.span.begin, tiers.detail_ratio());
    plan.span.end = ceil_to(plan.span.end, tiers.detail_ratio());
  }
  plan.windows.reserve(points);
  const auto element = [&](int64_t time_ms) {
    const Slot slot = std::clamp(ceil_to(time_ms, slot_ms) / slot_ms, plan.span.begin, plan.span.end);
    return static_cast<uint32_t>(slot - plan.span.begin);
  };
  for (size_t i = 0; i < points; ++i) {
    const int64_t end_ms = end_of(i);
    plan.windows.push_back({element(end_ms - plan.range_ms), element(end_ms)});
  }
  return plan;
}

}  // namespace statmill
