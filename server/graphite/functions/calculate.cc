// Functions that compute one number, or a line, of a whole series.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "server/graphite/attime.h"
#include "server/graphite/functions/common.h"

namespace statmill::graphite {
namespace {

Result<Value> run_aggregate_line(Call& call) {
  const auto summary = parse_summary(call.text(1));
  SeriesList out;
  for (const Series& series : call.take(0)) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    const double value = summary->of(series.values);
    std::string name =
        "aggregateLine(" + series.name + ", " + (is_none(value) ? "None" : general_text(value)) + ")";
    if (call.flag(2)) {
      out.push_back(copy_of(series, std::move(name), std::vector<double>(series.values.size(), value)));
      continue;
    }
    Series line = constant_line(call, value);
    line.rename(std::move(name));
    out.push_back(std::move(line));
  }
  return Value(std::move(out));
}

// A straight line with the least squares of the distances.
struct Line {
  double factor = 0;  // per second
  double offset = 0;  // at the time 0
};

std::optional<Line> line_through(const Series& series) {
  double count = 0;
  double sum_i = 0;
  double sum_v = 0;
  double sum_ii = 0;
  double sum_iv = 0;
  for (size_t k = 0; k < series.values.size(); ++k) {
    const double value = series.values[k];
    if (is_none(value)) continue;
    const auto i = static_cast<double>(k);
    ++count;
    sum_i += i;
    sum_v += value;
    sum_ii += i * i;
    sum_iv += i * value;
  }
  const double denominator = count * sum_ii - sum_i * sum_i;
  if (denominator == 0) return std::nullopt;
  Line line;
  line.factor = (count * sum_iv - sum_i * sum_v) / denominator / static_cast<double>(series.step_s);
  line.offset =
      (sum_ii * sum_v - sum_iv * sum_i) / denominator - line.factor * static_cast<double>(series.start_s);
  return line;
}

Result<Value> run_linear_regression(Call& call) {
  RequestRange source = call.range();
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (!call.has(i)) continue;
    const auto time = parse_attime(call.text(i), call.now_s(), call.zone());
    if (!time) return call.error(time.error().message);
    (i == 1 ? source.from_s : source.until_s) = *time;
  }
  const auto sources = call.first_in(source);
  if (!sources) return sources.error();
  SeriesList list = call.take(0);
  SeriesList out;
  for (size_t i = 0; i < std::min(list.size(), sources->size()); ++i) {
    Series& series = list[i];
    if (Status s = call.work(series.values.size()); !s) return s.error();
    const auto line = line_through((*sources)[i]);
    if (!line) continue;
    const std::string times = std::to_string(source.from_s) + ", " + std::to_string(source.until_s);
    set_tag(series, "linearRegressions", times);
    std::vector<double> values(series.values.size());
    for (size_t k = 0; k < values.size(); ++k) {
      const int64_t time_s = series.start_s + static_cast<int64_t>(k) * series.step_s;
      values[k] = line->offset + static_cast<double>(time_s) * line->factor;
    }
    Series result =
        copy_of(series, "linearRegression(" + series.name + ", " + times + ")", std::move(values));
    result.consolidation = {};
    out.push_back(std::move(result));
  }
  return Value(std::move(out));
}

Result<Value> run_n_percentile(Call& call) {
  const double percent = call.number(1);
  if (percent <= 0) return call.error("the percentage is above 0");
  SeriesList out;
  for (Series& series : call.take(0)) {
    if (Status s = call.work(4 * series.values.size()); !s) return s.error();
    const double value = percentile_of(series.values, percent);
    if (is_none(value)) continue;
    set_tag(series, "nPercentile", float_text(percent));
    const size_t size = series.values.size();
    out.push_back(copy_of(series, "nPercentile(" + series.name + ", " + general_text(percent) + ")",
                          std::vector<double>(size, value)));
  }
  return Value(std::move(out));
}

Result<Value> run_stdev(Call& call) {
  const int64_t points = call.integer(1);
  if (points < 1) return call.error("the number of points is below 1");
  const auto window = static_cast<size_t>(points);
  const double tolerance = call.number(2);
  SeriesList out;
  for (Series& series : call.take(0)) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    std::vector<double> values;
    double count = 0;
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < series.values.size(); ++i) {
      const double added = series.values[i];
      const double dropped = i < window ? kNoValue : series.values[i - window];
      if (!is_none(dropped)) {
        --count;
        sum -= dropped;
        squares -= dropped * dropped;
      }
      if (!is_none(added)) {
        ++count;
        sum += added;
        squares += added * added;
      }
      const double variance = count * squares - sum * sum;
      const bool is_enough = count > 0 && count / static_cast<double>(points) >= tolerance;
      values.push_back(is_enough && variance >= 0 ? std::sqrt(variance) / count : kNoValue);
    }
    set_tag(series, "stdev", std::to_string(points));
    out.push_back(
        copy_of(series, "stdev(" + series.name + "," + std::to_string(points) + ")", std::move(values)));
  }
  return Value(std::move(out));
}

}  // namespace

std::span<const Function> calculate_functions() {
  static const Function kFunctions[] = {
      {"aggregateLine", "Calculate", "seriesList! func:aggFunc=average keepStep:boolean=false",
       "A line at a summary of each series.", run_aggregate_line},
      {"linearRegression", "Calculate", "seriesList! startSourceAt:date endSourceAt:date",
       "A straight line through the values of the range, or of another range.", run_linear_regression},
      {"nPercentile", "Calculate", "seriesList! n:float!", "A line at the percentile of each series.",
       run_n_percentile},
      {"stdev", "Calculate", "seriesList! points:integer! windowTolerance:float=0.1",
       "The standard deviation of so many values up to each one.", run_stdev},
  };
  return kFunctions;
}

}  // namespace statmill::graphite
