#include "server/promql/plan_functions.h"

#include <algorithm>
#include <array>
#include <utility>

namespace statmill::promql {
namespace {

using plan::GroupFunction;
using plan::HistogramFunction;
using plan::MapFunction;
using plan::RankFunction;

template <class Value>
using Row = std::pair<std::string_view, Value>;

template <class Rows>
auto find_value(const Rows& rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [name](const auto& row) { return row.first == name; });
  return found == rows.end() ? std::nullopt : std::optional(found->second);
}

constexpr std::array kRangeFunctions = {
    Row<RangeFunction>{"absent_over_time", {LeafFunction::kPresent}},
    Row<RangeFunction>{"avg_over_time", {LeafFunction::kAvg}},
    Row<RangeFunction>{"buckets_over_time", {LeafFunction::kBuckets}},
    Row<RangeFunction>{"changes", {LeafFunction::kChanges}},
    Row<RangeFunction>{"count_over_time", {LeafFunction::kCount}},
    Row<RangeFunction>{"delta", {LeafFunction::kDelta}},
    Row<RangeFunction>{"deriv", {LeafFunction::kDeriv}},
    Row<RangeFunction>{"double_exponential_smoothing", {LeafFunction::kSmoothing}},
    Row<RangeFunction>{"first_over_time", {LeafFunction::kFirst, true}},
    Row<RangeFunction>{"holt_winters", {LeafFunction::kSmoothing}},
    Row<RangeFunction>{"idelta", {LeafFunction::kIdelta}},
    Row<RangeFunction>{"increase", {LeafFunction::kIncrease}},
    Row<RangeFunction>{"irate", {LeafFunction::kIrate}},
    Row<RangeFunction>{"last_over_time", {LeafFunction::kLast, true}},
    Row<RangeFunction>{"mad_over_time", {LeafFunction::kMad}},
    Row<RangeFunction>{"max_over_time", {LeafFunction::kMax}},
    Row<RangeFunction>{"min_over_time", {LeafFunction::kMin}},
    Row<RangeFunction>{"predict_linear", {LeafFunction::kPredictLinear}},
    Row<RangeFunction>{"present_over_time", {LeafFunction::kPresent}},
    Row<RangeFunction>{"quantile_over_time", {LeafFunction::kQuantile}},
    Row<RangeFunction>{"rate", {LeafFunction::kRate}},
    Row<RangeFunction>{"resets", {LeafFunction::kResets}},
    Row<RangeFunction>{"stddev_over_time", {LeafFunction::kStddev}},
    Row<RangeFunction>{"stdvar_over_time", {LeafFunction::kStdvar}},
    Row<RangeFunction>{"sum_over_time", {LeafFunction::kSum}},
    Row<RangeFunction>{"ts_of_first_over_time", {LeafFunction::kTimeOfFirst}},
    Row<RangeFunction>{"ts_of_last_over_time", {LeafFunction::kTimeOfLast}},
    Row<RangeFunction>{"ts_of_max_over_time", {LeafFunction::kTimeOfMax}},
    Row<RangeFunction>{"ts_of_min_over_time", {LeafFunction::kTimeOfMin}},
};

constexpr std::array kMapFunctions = {
    Row<MapFunction>{"abs", MapFunction::kAbs},
    Row<MapFunction>{"acos", MapFunction::kAcos},
    Row<MapFunction>{"acosh", MapFunction::kAcosh},
    Row<MapFunction>{"asin", MapFunction::kAsin},
    Row<MapFunction>{"asinh", MapFunction::kAsinh},
    Row<MapFunction>{"atan", MapFunction::kAtan},
    Row<MapFunction>{"atanh", MapFunction::kAtanh},
    Row<MapFunction>{"ceil", MapFunction::kCeil},
    Row<MapFunction>{"clamp", MapFunction::kClamp},
    Row<MapFunction>{"clamp_max", MapFunction::kClampMax},
    Row<MapFunction>{"clamp_min", MapFunction::kClampMin},
    Row<MapFunction>{"cos", MapFunction::kCos},
    Row<MapFunction>{"cosh", MapFunction::kCosh},
    Row<MapFunction>{"deg", MapFunction::kDegrees},
    Row<MapFunction>{"exp", MapFunction::kExp},
    Row<MapFunction>{"floor", MapFunction::kFloor},
    Row<MapFunction>{"ln", MapFunction::kLn},
    Row<MapFunction>{"log10", MapFunction::kLog10},
    Row<MapFunction>{"log2", MapFunction::kLog2},
    Row<MapFunction>{"rad", MapFunction::kRadians},
    Row<MapFunction>{"round", MapFunction::kRound},
    Row<MapFunction>{"sgn", MapFunction::kSgn},
    Row<MapFunction>{"sin", MapFunction::kSin},
    Row<MapFunction>{"sinh", MapFunction::kSinh},
    Row<MapFunction>{"sqrt", MapFunction::kSqrt},
    Row<MapFunction>{"tan", MapFunction::kTan},
    Row<MapFunction>{"tanh", MapFunction::kTanh},
};

constexpr std::array kDateFunctions = {
    Row<MapFunction>{"day_of_month", MapFunction::kDayOfMonth},
    Row<MapFunction>{"day_of_week", MapFunction::kDayOfWeek},
    Row<MapFunction>{"day_of_year", MapFunction::kDayOfYear},
    Row<MapFunction>{"days_in_month", MapFunction::kDaysInMonth},
    Row<MapFunction>{"hour", MapFunction::kHour},
    Row<MapFunction>{"minute", MapFunction::kMinute},
    Row<MapFunction>{"month", MapFunction::kMonth},
    Row<MapFunction>{"year", MapFunction::kYear},
};

constexpr std::array kHistogramFunctions = {
    Row<HistogramFunction>{"histogram_avg", HistogramFunction::kAvg},
    Row<HistogramFunction>{"histogram_count", HistogramFunction::kCount},
    Row<HistogramFunction>{"histogram_fraction", HistogramFunction::kFraction},
    Row<HistogramFunction>{"histogram_max", HistogramFunction::kMax},
    Row<HistogramFunction>{"histogram_min", HistogramFunction::kMin},
    Row<HistogramFunction>{"histogram_quantile", HistogramFunction::kQuantile},
    Row<HistogramFunction>{"histogram_quantiles", HistogramFunction::kQuantiles},
    Row<HistogramFunction>{"histogram_stddev", HistogramFunction::kStddev},
    Row<HistogramFunction>{"histogram_stdvar", HistogramFunction::kStdvar},
    Row<HistogramFunction>{"histogram_sum", HistogramFunction::kSum},
};

constexpr std::array kGroupFunctions = {
    Row<GroupFunction>{"avg", GroupFunction::kAvg},
    Row<GroupFunction>{"count", GroupFunction::kCount},
    Row<GroupFunction>{"count_values", GroupFunction::kCountValues},
    Row<GroupFunction>{"group", GroupFunction::kGroup},
    Row<GroupFunction>{"max", GroupFunction::kMax},
    Row<GroupFunction>{"min", GroupFunction::kMin},
    Row<GroupFunction>{"quantile", GroupFunction::kQuantile},
    Row<GroupFunction>{"stddev", GroupFunction::kStddev},
    Row<GroupFunction>{"stdvar", GroupFunction::kStdvar},
    Row<GroupFunction>{"sum", GroupFunction::kSum},
};

constexpr std::array kRankFunctions = {
    Row<RankFunction>{"bottomk", RankFunction::kBottom},
    Row<RankFunction>{"limitk", RankFunction::kFirst},
    Row<RankFunction>{"topk", RankFunction::kTop},
};

}  // namespace

std::optional<RangeFunction> range_function(std::string_view name) {
  return find_value(kRangeFunctions, name);
}
std::optional<MapFunction> map_function(std::string_view name) { return find_value(kMapFunctions, name); }
std::optional<MapFunction> date_function(std::string_view name) { return find_value(kDateFunctions, name); }
std::optional<HistogramFunction> histogram_function(std::string_view name) {
  return find_value(kHistogramFunctions, name);
}
std::optional<GroupFunction> group_function(std::string_view name) {
  return find_value(kGroupFunctions, name);
}
std::optional<RankFunction> rank_function(std::string_view name) { return find_value(kRankFunctions, name); }

}  // namespace statmill::promql
