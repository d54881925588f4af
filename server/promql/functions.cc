#include "server/promql/functions.h"

#include <algorithm>

namespace statmill::promql {
namespace {

using enum ValueType;

constexpr SlotUse E = SlotUse::kExact;
constexpr SlotUse S = SlotUse::kSamples;
constexpr SlotUse V = SlotUse::kValues;
constexpr SlotUse H = SlotUse::kHistograms;
constexpr SlotUse R = SlotUse::kRefused;

// Sorted by name. The uses are those of gauges, of counters and events, and of distributions.
constexpr std::array kFunctions = {
    Function{"abs", kVector, {kVector}, 0, {V, V, V}},
    Function{"absent", kVector, {kVector}, 0, {E, E, E}},
    Function{"absent_over_time", kVector, {kMatrix}, 0, {E, E, E}},
    Function{"acos", kVector, {kVector}, 0, {V, V, V}},
    Function{"acosh", kVector, {kVector}, 0, {V, V, V}},
    Function{"asin", kVector, {kVector}, 0, {V, V, V}},
    Function{"asinh", kVector, {kVector}, 0, {V, V, V}},
    Function{"atan", kVector, {kVector}, 0, {V, V, V}},
    Function{"atanh", kVector, {kVector}, 0, {V, V, V}},
    Function{"avg_over_time", kVector, {kMatrix}, 0, {E, S, E}},
    Function{"buckets_over_time", kVector, {kMatrix}, 0, {E, E, E}},
    Function{"ceil", kVector, {kVector}, 0, {V, V, V}},
    Function{"changes", kVector, {kMatrix}, 0, {S, S, S}},
    Function{"clamp", kVector, {kVector, kScalar, kScalar}, 0, {V, V, V}},
    Function{"clamp_max", kVector, {kVector, kScalar}, 0, {V, V, V}},
    Function{"clamp_min", kVector, {kVector, kScalar}, 0, {V, V, V}},
    Function{"cos", kVector, {kVector}, 0, {V, V, V}},
    Function{"cosh", kVector, {kVector}, 0, {V, V, V}},
    Function{"count_over_time", kVector, {kMatrix}, 0, {E, S, E}},
    Function{"day_of_month", kVector, {kVector}, 1, {V, V, V}},
    Function{"day_of_week", kVector, {kVector}, 1, {V, V, V}},
    Function{"day_of_year", kVector, {kVector}, 1, {V, V, V}},
    Function{"days_in_month", kVector, {kVector}, 1, {V, V, V}},
    Function{"deg", kVector, {kVector}, 0, {V, V, V}},
    Function{"delta", kVector, {kMatrix}, 0, {S, S, S}},
    Function{"deriv", kVector, {kMatrix}, 0, {S, S, S}},
    Function{"double_exponential_smoothing", kVector, {kMatrix, kScalar, kScalar}, 0, {S, S, S}},
    Function{"exp", kVector, {kVector}, 0, {V, V, V}},
    Function{"first_over_time", kVector, {kMatrix}, 0, {S, S, S}},
    Function{"floor", kVector, {kVector}, 0, {V, V, V}},
    Function{"histogram_avg", kVector, {kVector}, 0, {V, V, E}},
    Function{"histogram_count", kVector, {kVector}, 0, {V, V, E}},
    Function{"histogram_fraction", kVector, {kScalar, kScalar, kVector}, 0, {V, V, H}},
    Function{"histogram_max", kVector, {kVector}, 0, {V, V, E}},
    Function{"histogram_min", kVector, {kVector}, 0, {V, V, E}},
    Function{"histogram_quantile", kVector, {kScalar, kVector}, 0, {V, V, H}},
    Function{"histogram_quantiles", kVector, {kVector, kString, kScalar, kScalar}, 9, {V, V, H}},
    Function{"histogram_stddev", kVector, {kVector}, 0, {V, V, E}},
    Function{"histogram_stdvar", kVector, {kVector}, 0, {V, V, E}},
    Function{"histogram_sum", kVector, {kVector}, 0, {V, V, E}},
    Function{"holt_winters", kVector, {kMatrix, kScalar, kScalar}, 0, {S, S, S}},
    Function{"hour", kVector, {kVector}, 1, {V, V, V}},
    Function{"idelta", kVector, {kMatrix}, 0, {S, S, S}},
    Function{"increase", kVector, {kMatrix}, 0, {S, E, E}},
    Function{"info",
             kVector,
             {kVector, kVector},
             1,
             {R, R, R},
             "experimental, and other series are not joined by it"},
    Function{"irate", kVector, {kMatrix}, 0, {S, S, S}},
    Function{"label_join", kVector, {kVector, kString, kString, kString}, -1, {V, V, V}},
    Function{"label_replace", kVector, {kVector, kString, kString, kString, kString}, 0, {V, V, V}},
    Function{"last_over_time", kVector, {kMatrix}, 0, {S, S, S}},
    Function{"ln", kVector, {kVector}, 0, {V, V, V}},
    Function{"log10", kVector, {kVector}, 0, {V, V, V}},
    Function{"log2", kVector, {kVector}, 0, {V, V, V}},
    Function{"mad_over_time", kVector, {kMatrix}, 0, {S, S, S}},
    Function{"max_over_time", kVector, {kMatrix}, 0, {E, S, E}},
    Function{"min_over_time", kVector, {kMatrix}, 0, {E, S, E}},
    Function{"minute", kVector, {kVector}, 1, {V, V, V}},
    Function{"month", kVector, {kVector}, 1, {V, V, V}},
    Function{"pi", kScalar, {}, 0, {V, V, V}},
    Function{"predict_linear", kVector, {kMatrix, kScalar}, 0, {S, S, S}},
    Function{"present_over_time", kVector, {kMatrix}, 0, {E, E, E}},
    Function{"quantile_over_time", kVector, {kScalar, kMatrix}, 0, {S, S, H}},
    Function{"rad", kVector, {kVector}, 0, {V, V, V}},
    Function{"rate", kVector, {kMatrix}, 0, {S, E, E}},
    Function{"resets", kVector, {kMatrix}, 0, {S, R, S}, "increments are kept, not values"},
    Function{"round", kVector, {kVector, kScalar}, 1, {V, V, V}},
    Function{"scalar", kScalar, {kVector}, 0, {V, V, V}},
    Function{"sgn", kVector, {kVector}, 0, {V, V, V}},
    Function{"sin", kVector, {kVector}, 0, {V, V, V}},
    Function{"sinh", kVector, {kVector}, 0, {V, V, V}},
    Function{"sort", kVector, {kVector}, 0, {V, V, V}},
    Function{"sort_by_label", kVector, {kVector, kString}, -1, {V, V, V}},
    Function{"sort_by_label_desc", kVector, {kVector, kString}, -1, {V, V, V}},
    Function{"sort_desc", kVector, {kVector}, 0, {V, V, V}},
    Function{"sqrt", kVector, {kVector}, 0, {V, V, V}},
    Function{"start_timestamp", kVector, {kVector}, 0, {R, R, R}, "the start of a counter is not stored"},
    Function{"stddev_over_time", kVector, {kMatrix}, 0, {E, S, E}},
    Function{"stdvar_over_time", kVector, {kMatrix}, 0, {E, S, E}},
    Function{"sum_over_time", kVector, {kMatrix}, 0, {E, S, E}},
    Function{"tan", kVector, {kVector}, 0, {V, V, V}},
    Function{"tanh", kVector, {kVector}, 0, {V, V, V}},
    Function{"time", kScalar, {}, 0, {V, V, V}},
    Function{"timestamp", kVector, {kVector}, 0, {S, S, S}},
    Function{"ts_of_first_over_time", kVector, {kMatrix}, 0, {S, S, S}},
    Function{"ts_of_last_over_time", kVector, {kMatrix}, 0, {S, S, S}},
    Function{"ts_of_max_over_time", kVector, {kMatrix}, 0, {S, S, S}},
    Function{"ts_of_min_over_time", kVector, {kMatrix}, 0, {S, S, S}},
    Function{"vector", kVector, {kScalar}, 0, {V, V, V}},
    Function{"year", kVector, {kVector}, 1, {V, V, V}},
};

constexpr std::array kAggregators = {
    Aggregator{"avg", kNone},
    Aggregator{"bottomk", kScalar},
    Aggregator{"count", kNone},
    Aggregator{"count_values", kString},
    Aggregator{"group", kNone},
    Aggregator{"limit_ratio", kScalar, "experimental, and its choice of series is not that of Prometheus"},
    Aggregator{"limitk", kScalar},
    Aggregator{"max", kNone},
    Aggregator{"min", kNone},
    Aggregator{"quantile", kScalar},
    Aggregator{"stddev", kNone},
    Aggregator{"stdvar", kNone},
    Aggregator{"sum", kNone},
    Aggregator{"topk", kScalar},
};

template <class Row, size_t kCount>
constexpr bool is_sorted_by_name(const std::array<Row, kCount>& rows) {
  for (size_t i = 1; i < kCount; ++i) {
    if (rows[i - 1].name >= rows[i].name) return false;
  }
  return true;
}
static_assert(is_sorted_by_name(kFunctions) && is_sorted_by_name(kAggregators));

template <class Row, size_t kCount>
const Row* find_row(const std::array<Row, kCount>& rows, std::string_view name) {
  const auto is_before = [](const Row& row, std::string_view wanted) { return row.name < wanted; };
  const auto found = std::lower_bound(rows.begin(), rows.end(), name, is_before);
  return found != rows.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

std::string_view documented_name(ValueType type) {
  if (type == kVector) return "instant vector";
  if (type == kMatrix) return "range vector";
  return short_name(type);
}

std::string_view short_name(ValueType type) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "scalar", "vector", "matrix", "string"};
  return kNames[static_cast<size_t>(type)];
}

size_t Function::argument_count() const {
  const auto end = std::find(argument_types.begin(), argument_types.end(), kNone);
  return static_cast<size_t>(end - argument_types.begin());
}

const Function* find_function(std::string_view name) { return find_row(kFunctions, name); }

const Aggregator* find_aggregator(std::string_view lower_case_name) {
  return find_row(kAggregators, lower_case_name);
}

std::span<const Function> all_functions() { return kFunctions; }
std::span<const Aggregator> all_aggregators() { return kAggregators; }

}  // namespace statmill::promql
