// Functions that choose some of the series, or some of their values.
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "server/graphite/functions/common.h"

namespace statmill::graphite {
namespace {

// Returns true if a summary satisfies the condition. As in Graphite, none is less than any number, and it is
// not equal to any.
std::optional<bool> holds(double value, std::string_view relation, double threshold) {
  if (relation == "=") return value == threshold;
  if (relation == "!=") return value != threshold;
  if (relation == ">") return value > threshold;
  if (relation == ">=") return value >= threshold;
  if (relation == "<") return is_none(value) || value < threshold;
  if (relation == "<=") return is_none(value) || value <= threshold;
  return std::nullopt;
}

struct Condition {
  Summary summary;
  std::string_view relation;
  double threshold = 0;
};

Result<Value> filtered(Call& call, const Condition& condition) {
  SeriesList out;
  for (Series& series : call.take(0)) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    const double value = condition.summary.of(series.values);
    const auto is_kept = holds(value, condition.relation, condition.threshold);
    if (!is_kept)
      return call.error("the operator is =, !=, >, >=, < or <=, not " + std::string(condition.relation));
    if (*is_kept) out.push_back(std::move(series));
  }
  return Value(std::move(out));
}

Result<Value> run_filter_series(Call& call) {
  const std::string relation = call.text(2);
  if (!holds(0, relation, 0)) return call.error("the operator is =, !=, >, >=, < or <=, not " + relation);
  return filtered(call, {*parse_summary(call.text(1)), relation, call.number(3)});
}

template <Summary::Kind kind, bool is_above>
Result<Value> run_compared(Call& call) {
  return filtered(call, {Summary{kind}, is_above ? ">" : "<=", call.number(1)});
}

Result<Value> run_limit(Call& call) {
  SeriesList list = call.take(0);
  const auto count = static_cast<int64_t>(list.size());
  const int64_t wanted = call.integer(1);
  const int64_t kept = wanted < 0 ? std::max<int64_t>(count + wanted, 0) : std::min(wanted, count);
  list.erase(list.begin() + kept, list.end());
  return Value(std::move(list));
}

enum class Match : uint8_t { kKeep, kRemove };

Result<Value> matched(Call& call, Match match) {
  const auto regex = compiled_regex(call, call.text(1));
  if (!regex) return regex.error();
  SeriesList out;
  for (Series& series : call.take(0)) {
    if (Status s = call.work(64 + series.name.size()); !s) return s.error();
    if (re2::RE2::PartialMatch(series.name, **regex) == (match == Match::kKeep))
      out.push_back(std::move(series));
  }
  return Value(std::move(out));
}

Result<Value> run_exclude(Call& call) { return matched(call, Match::kRemove); }
Result<Value> run_grep(Call& call) { return matched(call, Match::kKeep); }

Result<Value> run_most_deviant(Call& call) {
  struct Deviant {
    double variance = 0;
    Series series;
  };
  std::vector<Deviant> deviants;
  for (Series& series : call.take(0)) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    const double deviation = Summary{Summary::Kind::kStddev}.of(series.values);
    if (!is_none(deviation)) deviants.push_back({deviation * deviation, std::move(series)});
  }
  std::ranges::stable_sort(deviants, std::ranges::greater(), &Deviant::variance);
  SeriesList out;
  const int64_t wanted = std::max<int64_t>(call.integer(1), 0);
  for (size_t i = 0; i < deviants.size() && static_cast<int64_t>(i) < wanted; ++i)
    out.push_back(std::move(deviants[i].series));
  return Value(std::move(out));
}

Result<Value> run_average_outside_percentile(Call& call) {
  const double percent = std::max(call.number(1), 100 - call.number(1));
  SeriesList list = call.take(0);
  std::vector<double> averages;
  for (const Series& series : list) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    averages.push_back(Summary{}.of(series.values));
  }
  const double low = percentile_of(averages, 100 - percent);
  const double high = percentile_of(averages, percent);
  SeriesList out;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!(low < averages[i] && averages[i] < high)) out.push_back(std::move(list[i]));
  }
  return Value(std::move(out));
}

Result<Value> run_remove_between_percentile(Call& call) {
  const double percent = std::max(call.number(1), 100 - call.number(1));
  SeriesList list = call.take(0);
  if (list.empty()) return Value(std::move(list));
  const auto rows = rows_of(call, list);
  if (!rows) return rows.error();
  std::vector<bool> is_outside(list.size(), false);
  for (size_t i = 0; i < rows->count; ++i) {
    if (Status s = call.work(8 * list.size()); !s) return s.error();
    const std::vector<double> row = rows->row(i);
    const double low = percentile_of(row, 100 - percent);
    const double high = percentile_of(row, percent);
    for (size_t k = 0; k < row.size(); ++k)
      if (!is_none(row[k]) && !(low < row[k] && row[k] < high)) is_outside[k] = true;
  }
  SeriesList out;
  for (size_t k = 0; k < list.size(); ++k) {
    if (is_outside[k]) out.push_back(std::move(list[k]));
  }
  return Value(std::move(out));
}

enum class Side : uint8_t { kAbove, kBelow };
enum class Limit : uint8_t { kValue, kPercentile };

template <Side side, Limit limit>
Result<Value> run_remove(Call& call) {
  const double n = call.number(1);
  SeriesList list = call.take(0);
  for (Series& series : list) {
    if (Status s = call.work(4 * series.values.size()); !s) return s.error();
    series.rename(std::string(call.function().name) + "(" + series.name + ", " + general_text(n) + ")");
    const double threshold = limit == Limit::kValue ? n : percentile_of(series.values, n);
    for (double& value : series.values) {
      if (side == Side::kAbove ? value > threshold : value < threshold) value = kNoValue;
    }
  }
  return Value(std::move(list));
}

Result<Value> run_remove_empty_series(Call& call) {
  const double factor = call.optional_number(1).value_or(0);
  SeriesList out;
  for (Series& series : call.take(0)) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    const double present = Summary{Summary::Kind::kCount}.of(series.values);
    if (present > 0 && present / static_cast<double>(series.values.size()) >= factor)
      out.push_back(std::move(series));
  }
  return Value(std::move(out));
}

Result<Value> run_unique(Call& call) {
  std::set<std::string> seen;
  SeriesList out;
  for (Series& series : call.take_all(0)) {
    if (seen.insert(series.name).second) out.push_back(std::move(series));
  }
  return Value(std::move(out));
}

Result<Value> run_use_series_above(Call& call) {
  const double threshold = call.number(1);
  const auto regex = compiled_regex(call, call.text(2));
  if (!regex) return regex.error();
  SeriesList out;
  for (const Series& series : call.take(0)) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    if (!(Summary{Summary::Kind::kMax}.of(series.values) > threshold)) continue;
    const auto target = replaced(call, **regex, series.name, call.text(3));
    if (!target) return target.error();
    auto found = call.evaluate(*target);
    if (!found) return found.error();
    std::ranges::move(*found, std::back_inserter(out));
  }
  return Value(std::move(out));
}

}  // namespace

std::span<const Function> filter_functions() {
  using Kind = Summary::Kind;
  constexpr std::string_view kNumber = "seriesList! n:float!";
  static const Function kFunctions[] = {
      {"averageAbove", "Filter Series", kNumber, "Series whose mean is above n.",
       run_compared<Kind::kAverage, true>},
      {"averageBelow", "Filter Series", kNumber, "Series whose mean is n or less.",
       run_compared<Kind::kAverage, false>},
      {"averageOutsidePercentile", "Filter Series", kNumber,
       "Series whose mean is not between the percentiles n and 100 - n of all means.",
       run_average_outside_percentile},
      {"currentAbove", "Filter Series", kNumber, "Series whose last value is above n.",
       run_compared<Kind::kLast, true>},
      {"currentBelow", "Filter Series", kNumber, "Series whose last value is n or less.",
       run_compared<Kind::kLast, false>},
      {"exclude", "Filter Series", "seriesList! pattern:string!",
       "Series whose name does not match the regular expression.", run_exclude, Passing::kAll},
      {"filterSeries", "Filter Series", "seriesList! func:aggFunc! operator:string! threshold:float!",
       "Series a summary of which satisfies a condition.", run_filter_series},
      {"grep", "Filter Series", "seriesList! pattern:string!",
       "Series whose name matches the regular expression.", run_grep, Passing::kAll},
      {"limit", "Filter Series", "seriesList! n:integer!", "The first n series.", run_limit, Passing::kAll},
      {"maximumAbove", "Filter Series", kNumber, "Series whose greatest value is above n.",
       run_compared<Kind::kMax, true>},
      {"maximumBelow", "Filter Series", kNumber, "Series whose greatest value is n or less.",
       run_compared<Kind::kMax, false>},
      {"minimumAbove", "Filter Series", kNumber, "Series whose least value is above n.",
       run_compared<Kind::kMin, true>},
      {"minimumBelow", "Filter Series", kNumber, "Series whose least value is n or less.",
       run_compared<Kind::kMin, false>},
      {"mostDeviant", "Filter Series", "seriesList! n:integer!", "The n series of the greatest deviation.",
       run_most_deviant},
      {"removeAbovePercentile", "Filter Data", kNumber, "Removes the values above the percentile n.",
       run_remove<Side::kAbove, Limit::kPercentile>},
      {"removeAboveValue", "Filter Data", kNumber, "Removes the values above n.",
       run_remove<Side::kAbove, Limit::kValue>},
      {"removeBelowPercentile", "Filter Data", kNumber, "Removes the values below the percentile n.",
       run_remove<Side::kBelow, Limit::kPercentile>},
      {"removeBelowValue", "Filter Data", kNumber, "Removes the values below n.",
       run_remove<Side::kBelow, Limit::kValue>},
      {"removeBetweenPercentile", "Filter Series", kNumber,
       "Series that have a value outside of the percentiles n and 100 - n of all series at that time.",
       run_remove_between_percentile},
      {"removeEmptySeries", "Filter Series", "seriesList! xFilesFactor:float",
       "Series that have values: at least this share of them.", run_remove_empty_series},
      {"unique", "Filter Series", "seriesLists:seriesList!*", "Series of different names.", run_unique,
       Passing::kAll},
      {"useSeriesAbove", "Filter Series", "seriesList! value:float! search:string! replace:string!",
       "For each series that has a value above one, the series whose name is made of its name.",
       run_use_series_above},
  };
  return kFunctions;
}

}  // namespace statmill::graphite
