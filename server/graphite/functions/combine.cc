// Functions that make one series of several.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "server/graphite/functions/common.h"

namespace statmill::graphite {
namespace {

Result<Value> as_value(Result<SeriesList> list) {
  if (!list) return list.error();
  return Value(*std::move(list));
}

template <class Text>
Result<Value> combined(Call& call, const Text& function) {
  return as_value(aggregate(call, call.take_all(0), {.function = function}));
}

Result<Value> run_aggregate(Call& call) {
  const std::string function = call.text(1);
  return as_value(aggregate(call, call.take(0), {function, call.optional_number(2)}));
}

GroupOf aggregate_groups(std::span<const Value>) {
  return [](const Series&) { return std::string(); };
}

Result<Value> run_average_series(Call& call) { return combined(call, "average"); }
Result<Value> run_diff_series(Call& call) { return combined(call, "diff"); }
Result<Value> run_max_series(Call& call) { return combined(call, "max"); }
Result<Value> run_min_series(Call& call) { return combined(call, "min"); }
Result<Value> run_range_of_series(Call& call) { return combined(call, "rangeOf"); }
Result<Value> run_stddev_series(Call& call) { return combined(call, "stddev"); }
Result<Value> run_sum_series(Call& call) { return combined(call, "sum"); }

Result<Value> run_multiply_series(Call& call) {
  SeriesList all = call.take_all(0);
  if (call.size() == 1 && all.size() == 1) return Value(std::move(all));
  return as_value(aggregate(call, all, {.function = "multiply"}));
}

Result<Value> run_count_series(Call& call) {
  const SeriesList all = call.take_all(0);
  SeriesList out;
  if (call.size() == 0) {
    out.push_back(constant_line(call, 0));
    out.back().name = "0";
    out.back().path = "countSeries()";
    return Value(std::move(out));
  }
  if (all.empty()) return Value(std::move(out));
  auto rows = rows_of(call, all);
  if (!rows) return rows.error();
  std::vector<double> values(rows->count, static_cast<double>(all.size()));
  out.push_back(new_series(call, "countSeries(" + paths_of(all) + ")", rows->grid, std::move(values)));
  return Value(std::move(out));
}

Result<Value> run_group(Call& call) { return Value(call.take_all(0)); }

Result<Value> run_pow_series(Call& call) {
  const SeriesList all = call.take_all(0);
  SeriesList out;
  if (all.empty()) return Value(std::move(out));
  const auto rows = rows_of(call, all);
  if (!rows) return rows.error();
  std::vector<double> values(rows->count);
  for (size_t i = 0; i < rows->count; ++i) {
    if (Status s = call.work(all.size()); !s) return s.error();
    double value = rows->columns.front()[i];
    for (size_t k = 1; k < rows->columns.size(); ++k) {
      const double exponent = rows->columns[k][i];
      value = is_none(value) || is_none(exponent) ? kNoValue : std::pow(value, exponent);
      if (std::isinf(value)) value = kNoValue;
    }
    values[i] = value;
  }
  std::string names;
  for (const Series& one : all) {
    if (names.size() > 4096) break;
    names.append(names.empty() ? "" : ",").append(one.name);
  }
  out.push_back(new_series(call, "powSeries(" + names + ")", rows->grid, std::move(values)));
  return Value(std::move(out));
}

Result<Value> run_percentile_of_series(Call& call) {
  const double percent = call.number(1);
  if (percent <= 0) return call.error("the percentage is above 0");
  const SeriesList all = call.take(0);
  SeriesList out;
  if (all.empty()) return Value(std::move(out));
  const auto rows = rows_of(call, all);
  if (!rows) return rows.error();
  std::vector<double> values(rows->count);
  for (size_t i = 0; i < rows->count; ++i) {
    if (Status s = call.work(4 * all.size()); !s) return s.error();
    values[i] = percentile_of(rows->row(i), percent, call.flag(2));
  }
  std::string name = "percentileOfSeries(" + all.front().path + "," + general_text(percent) + ")";
  out.push_back(new_series(call, std::move(name), rows->grid, std::move(values)));
  return Value(std::move(out));
}

// Divides the first series by the second, or returns the first as a share of it in percent.
enum class Quotient : uint8_t { kPlain, kPercent };
Result<Series> quotient(Call& call, const Series& one, const Series& other, Quotient form) {
  const Series* const both[] = {&one, &other};
  const auto rows = rows_of(call, both);
  if (!rows) return rows.error();
  std::vector<double> values(rows->count);
  for (size_t i = 0; i < rows->count; ++i) {
    const double divisor = rows->columns[1][i];
    values[i] =
        divisor == 0 ? kNoValue : rows->columns[0][i] / divisor * (form == Quotient::kPercent ? 100 : 1);
  }
  const std::string_view function = form == Quotient::kPercent ? "asPercent(" : "divideSeries(";
  return new_series(call, std::string(function) + one.name + "," + other.name + ")", rows->grid,
                    std::move(values));
}

Result<Value> run_divide_series(Call& call) {
  SeriesList dividends = call.take(0);
  const SeriesList divisors = call.take(1);
  if (divisors.size() > 1)
    return call.error("the divisor is " + std::to_string(divisors.size()) + " series; it must be one");
  if (divisors.empty()) {
    for (Series& series : dividends) {
      series.rename("divideSeries(" + series.name + ",MISSING)");
      std::ranges::fill(series.values, kNoValue);
    }
    return Value(std::move(dividends));
  }
  SeriesList out;
  for (const Series& series : dividends) {
    auto result = quotient(call, series, divisors.front(), Quotient::kPlain);
    if (!result) return result.error();
    out.push_back(*std::move(result));
  }
  return Value(std::move(out));
}

Result<Value> run_divide_series_lists(Call& call) {
  const SeriesList dividends = call.take(0);
  const SeriesList divisors = call.take(1);
  if (dividends.size() != divisors.size()) return call.error("the lists are of different lengths");
  SeriesList out;
  for (size_t i = 0; i < dividends.size(); ++i) {
    auto result = quotient(call, dividends[i], divisors[i], Quotient::kPlain);
    if (!result) return result.error();
    out.push_back(*std::move(result));
  }
  return Value(std::move(out));
}

Result<Series> sum_of(Call& call, const SeriesList& series) {
  if (series.size() == 1) return series.front();
  auto sum = aggregate(call, series, {"sum", 0});
  if (!sum) return sum.error();
  return std::move(sum->front());
}

// A series without values in place of one that has no total, or of a total without series.
Series missing_share(const Call& call, const Series& grid, const std::string& names) {
  return new_series(call, "asPercent(" + names + ")", grid,
                    std::vector<double>(grid.values.size(), kNoValue));
}

// Series and totals by the same nodes of their paths.
Result<Value> percent_of_groups(Call& call, const SeriesList& series, const SeriesList* totals) {
  struct Group {
    std::string key;
    SeriesList series;
    SeriesList totals;
  };
  const auto nodes = call.rest(2);
  std::vector<Group> groups;             // in the order in which their keys come
  std::map<std::string, size_t> places;  // in `groups`
  const auto group = [&](const SeriesList& list, SeriesList Group::*to) -> Status {
    for (const Series& one : list) {
      std::string key = key_of(one, nodes);
      const size_t bytes = one.memory_bytes();
      if (Status s = call.work(1 + one.path.size() / 8 + one.values.size() / 8); !s) return s;
      if (Status s = call.hold_memory(bytes + sizeof(Group) + 2 * key.size()); !s) return s;
      const auto [at, is_new] = places.try_emplace(key, groups.size());
      if (is_new) groups.push_back({std::move(key), {}, {}});
      (groups[at->second].*to).push_back(one);
    }
    return Status::ok();
  };
  if (Status s = group(series, &Group::series); !s) return s.error();
  if (Status s = group(totals == nullptr ? series : *totals, &Group::totals); !s) return s.error();
  SeriesList out;
  for (const Group& one_group : groups) {
    if (one_group.totals.empty()) {
      for (const Series& one : one_group.series)
        out.push_back(missing_share(call, one, one.name + ",MISSING"));
      continue;
    }
    const auto total = sum_of(call, one_group.totals);
    if (!total) return total.error();
    if (one_group.series.empty()) {
      out.push_back(missing_share(call, *total, "MISSING," + total->name));
      continue;
    }
    for (const Series& one : one_group.series) {
      auto share = quotient(call, one, *total, Quotient::kPercent);
      if (!share) return share.error();
      out.push_back(*std::move(share));
    }
  }
  return Value(std::move(out));
}

// Each series with the one of the same place by name.
Result<Value> percent_of_pairs(Call& call, SeriesList series, SeriesList totals) {
  std::ranges::stable_sort(series, {}, &Series::name);
  std::ranges::stable_sort(totals, {}, &Series::name);
  SeriesList out;
  for (size_t i = 0; i < series.size(); ++i) {
    auto share = quotient(call, series[i], totals[i], Quotient::kPercent);
    if (!share) return share.error();
    out.push_back(*std::move(share));
  }
  return Value(std::move(out));
}

Result<Value> percent_of(Call& call, const SeriesList& series, const Series& total) {
  SeriesList out;
  for (const Series& one : series) {
    auto share = quotient(call, one, total, Quotient::kPercent);
    if (!share) return share.error();
    out.push_back(*std::move(share));
  }
  return Value(std::move(out));
}

Result<Value> run_as_percent(Call& call) {
  SeriesList series = call.take(0);
  if (series.empty()) return Value(SeriesList());
  const SeriesList* totals = call.has(1) ? std::get_if<SeriesList>(&call.at(1)) : nullptr;
  const auto* number = call.has(1) ? std::get_if<Number>(&call.at(1)) : nullptr;
  if (call.has(1) && totals == nullptr && number == nullptr)
    return call.error("the total is series or a number");
  if (!call.rest(2).empty()) {
    if (number != nullptr) return call.error("with nodes the total is none or series");
    return percent_of_groups(call, series, totals);
  }
  if (number != nullptr) {
    Series total = series.front();
    total.name = value_text(*number);
    SeriesList out;
    for (const Series& one : series) {
      std::vector<double> values = one.values;
      for (double& value : values) value = number->value == 0 ? kNoValue : value / number->value * 100;
      out.push_back(
          new_series(call, "asPercent(" + one.name + "," + total.name + ")", one, std::move(values)));
    }
    return Value(std::move(out));
  }
  if (totals == nullptr) {
    auto sum = aggregate(call, series, {"sum", 0});
    if (!sum) return sum.error();
    return percent_of(call, series, sum->front());
  }
  if (totals->size() == 1) return percent_of(call, series, totals->front());
  if (totals->size() == series.size()) return percent_of_pairs(call, std::move(series), *totals);
  return call.error("the total is one series, or as many as the first argument has");
}

Result<Value> run_weighted_average(Call& call) {
  const SeriesList averages = call.take(0);
  const SeriesList weights = call.take(1);
  if (averages.size() != weights.size()) return call.error("there are as many weights as averages");
  const auto nodes = call.rest(2);
  std::map<std::string, const Series*> weight_of;
  for (const Series& weight : weights) weight_of[key_of(weight, nodes)] = &weight;
  SeriesList products;
  for (const Series& average : averages) {
    const auto weight = weight_of.find(key_of(average, nodes));
    if (weight == weight_of.end()) continue;
    const Series* const both[] = {&average, weight->second};
    const auto rows = rows_of(call, both);
    if (!rows) return rows.error();
    std::vector<double> values(rows->count);
    for (size_t i = 0; i < rows->count; ++i) values[i] = rows->columns[0][i] * rows->columns[1][i];
    products.push_back(new_series(call, "product(" + weight->second->name + "," + average.name + ")",
                                  rows->grid, std::move(values)));
  }
  SeriesList out;
  if (products.empty()) return Value(std::move(out));
  const auto sum = aggregate(call, products, {"sum", 0});
  if (!sum) return sum.error();
  const auto weight = aggregate(call, weights, {"sum", 0});
  if (!weight) return weight.error();
  auto result = quotient(call, sum->front(), weight->front(), Quotient::kPlain);
  if (!result) return result.error();
  std::string texts;
  for (const Value& node : nodes) texts.append(texts.empty() ? "" : ",").append(value_text(node));
  result->rename("weightedAverage(" + paths_of(averages) + ", " + paths_of(weights) + ", " + texts + ")");
  result->tags = {{"name", result->name}};
  out.push_back(*std::move(result));
  return Value(std::move(out));
}

}  // namespace

std::span<const Function> combine_functions() {
  constexpr std::string_view kLists = "seriesLists:seriesList!*";
  static const Function kFunctions[] = {
      {"aggregate", "Combine", "seriesList! func:aggFunc! xFilesFactor:float",
       "One series of several, by the function that is named; also `pool`, the mean of all samples.",
       run_aggregate, Passing::kMerge, false, aggregate_groups},
      {"asPercent", "Combine", "seriesList! total:any nodes:nodeOrTag*",
       "Each series in percent of the total: the sum of all, another series, a series for each, or a number. "
       "With "
       "nodes each group by these has its own total.",
       run_as_percent, Passing::kNothing, true},
      {"averageSeries", "Combine", kLists, "The mean of several series.", run_average_series,
       Passing::kAverage, true},
      {"avg", "Combine", kLists, "The same as averageSeries().", run_average_series, Passing::kAverage, true},
      {"countSeries", "Combine", "seriesLists:seriesList*", "How many series there are.", run_count_series,
       Passing::kNothing, true},
      {"diffSeries", "Combine", kLists, "The first series minus all others.", run_diff_series,
       Passing::kNothing, true},
      {"divideSeries", "Combine", "dividendSeriesList:seriesList! divisorSeries:seriesList!",
       "Divides each series by one other.", run_divide_series},
      {"divideSeriesLists", "Combine", "dividendSeriesList:seriesList! divisorSeriesList:seriesList!",
       "Divides each series by the one at the same place of the other list.", run_divide_series_lists},
      {"group", "Combine", "seriesLists:seriesList*", "One list of several.", run_group, Passing::kAll},
      {"maxSeries", "Combine", kLists, "The greatest of several series.", run_max_series, Passing::kMax,
       true},
      {"minSeries", "Combine", kLists, "The least of several series.", run_min_series, Passing::kMin, true},
      {"multiplySeries", "Combine", kLists, "The product of several series; none where one is missing.",
       run_multiply_series, Passing::kNothing, true},
      {"pct", "Combine", "seriesList! total:any nodes:nodeOrTag*", "The same as asPercent().", run_as_percent,
       Passing::kNothing, true},
      {"percentileOfSeries", "Combine", "seriesList! n:float! interpolate:boolean=false",
       "The percentile of several series.", run_percentile_of_series},
      {"powSeries", "Combine", "seriesList:seriesList!*",
       "The first series to the power of the second, and so on.", run_pow_series, Passing::kNothing, true},
      {"rangeOfSeries", "Combine", kLists, "The greatest minus the least of several series.",
       run_range_of_series, Passing::kNothing, true},
      {"stddevSeries", "Combine", kLists, "The standard deviation of several series.", run_stddev_series,
       Passing::kNothing, true},
      {"sum", "Combine", kLists, "The same as sumSeries().", run_sum_series, Passing::kSum, true},
      {"sumSeries", "Combine", kLists, "The sum of several series.", run_sum_series, Passing::kSum, true},
      {"weightedAverage", "Combine",
       "seriesListAvg:seriesList! seriesListWeight:seriesList! nodes:nodeOrTag*",
       "The mean of series, with weights that are series with the same nodes.", run_weighted_average},
  };
  return kFunctions;
}

}  // namespace statmill::graphite
