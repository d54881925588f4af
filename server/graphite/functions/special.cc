// Functions that make series of nothing, or say how a series is to be shown.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "base/hash.h"
#include "server/graphite/functions/common.h"
#include "server/graphite/passing.h"

namespace statmill::graphite {
namespace {

Result<Value> run_changed(Call& call) {
  SeriesList list = call.take(0);
  for (Series& series : list) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    series.rename("changed(" + series.name + ")");
    double previous = kNoValue;
    for (double& value : series.values) {
      const double now = value;
      value = !is_none(now) && !is_none(previous) && now != previous ? 1 : 0;
      if (!is_none(now)) previous = now;
    }
  }
  return Value(std::move(list));
}

Result<Value> consolidated_by(Call& call, const std::string& name) {
  const auto summary = parse_consolidation(name);
  if (!summary)
    return call.error(
        "the function is sum, average, min, max, first, last, avg_zero, count, stddev or a "
        "percentile such as p99, not " +
        name);
  SeriesList list = call.take(0);
  for (Series& series : list) {
    series.consolidation = series.read == *summary ? after_reading(*summary) : *summary;
    set_tag(series, "consolidateBy", name);
    series.rename("consolidateBy(" + series.name + ",\"" + name + "\")");
  }
  return Value(std::move(list));
}

Result<Value> run_consolidate_by(Call& call) { return consolidated_by(call, call.text(1)); }
Result<Value> run_cumulative(Call& call) { return consolidated_by(call, "sum"); }

Result<Value> run_constant_line(Call& call) {
  SeriesList out;
  out.push_back(constant_line(call, call.number(0)));
  return Value(std::move(out));
}

// The shortest step that gives at most kFinePoints values: seconds, as Graphite has them, up to five hours.
int64_t step_of_events(int64_t range_s) {
  constexpr std::array<int64_t, 11> kSteps_s = {1, 2, 5, 10, 30, 60, 300, 600, 1800, 3600, 21'600};
  for (const int64_t step_s : kSteps_s) {
    if (range_s / step_s < static_cast<int64_t>(kFinePoints)) return step_s;
  }
  return 86'400;
}

// How many events there are at each time that has some.
Result<Value> run_events(Call& call) {
  EventRequest request;
  std::string name;
  for (size_t i = 0; i < call.size(); ++i) {
    request.tags.push_back(call.text(i));
    name.append(name.empty() ? "events(\"" : "\", \"").append(call.text(i));
  }
  if (request.tags.size() == 1 && request.tags.front() == "*") request.tags.clear();
  Series grid;
  grid.step_s = step_of_events(call.range().until_s - call.range().from_s);
  grid.start_s = call.range().from_s / grid.step_s * grid.step_s;
  grid.end_s = (call.range().until_s + grid.step_s - 1) / grid.step_s * grid.step_s;
  request.from_s = grid.start_s;
  request.until_s = grid.end_s;
  const auto count = static_cast<size_t>((grid.end_s - grid.start_s) / grid.step_s);
  if (Status s = call.check_points(static_cast<double>(count)); !s) return s.error();
  const std::vector<int64_t> times = call.event_times(request);
  if (Status s = call.hold_memory((times.size() + count) * sizeof(double)); !s) return s.error();
  if (Status s = call.work(times.size()); !s) return s.error();
  std::vector<double> values(count, kNoValue);
  for (const int64_t time_s : times) {
    double& value = values[static_cast<size_t>((time_s - grid.start_s) / grid.step_s)];
    value = is_none(value) ? 1 : value + 1;
  }
  SeriesList out;
  out.push_back(new_series(call, name + "\")", grid, std::move(values)));
  out.back().consolidation = {Summary::Kind::kSum};
  return Value(std::move(out));
}

Result<Value> run_fallback_series(Call& call) {
  SeriesList list = call.take(0);
  return Value(list.empty() ? call.take(1) : std::move(list));
}

// A function of the time as a series, from the begin of the range on.
Result<Value> line_of(Call& call, int64_t step_s, const std::function<double(int64_t time_s)>& value_at) {
  if (step_s < 1) return call.error("the step is below 1");
  Series grid;
  grid.start_s = call.range().from_s;
  grid.end_s = call.range().until_s;
  grid.step_s = step_s;
  const int64_t points = (grid.end_s - grid.start_s) / step_s + 1;
  if (Status s = call.check_points(static_cast<double>(points)); !s) return s.error();
  std::vector<double> values;
  for (int64_t time_s = grid.start_s; time_s < grid.end_s; time_s += step_s) {
    if (Status s = call.work(1); !s) return s.error();
    values.push_back(value_at(time_s));
  }
  SeriesList out;
  out.push_back(new_series(call, call.text(0), grid, std::move(values)));
  return Value(std::move(out));
}

double seconds_at(int64_t time_s) { return static_cast<double>(time_s); }

Result<Value> run_identity(Call& call) {
  auto out = line_of(call, 60, seconds_at);
  if (out) std::get<SeriesList>(*out).front().path = "identity(\"" + call.text(0) + "\")";
  return out;
}
Result<Value> run_time_function(Call& call) { return line_of(call, call.integer(1), seconds_at); }
Result<Value> run_sin(Call& call) {
  return line_of(call, call.integer(2), [amplitude = call.number(1)](int64_t time_s) {
    return amplitude * std::sin(static_cast<double>(time_s));
  });
}

// Wanders about 0, by steps of at most 1 a minute. Graphite starts each request at 0; this one is a
// function of the name and the time, so that two requests agree: a sum of waves of 8 lengths, each with
// random heights (SplitMix64, prng.di.unimi.it) at its nodes and lines between them.
double walk_at(uint64_t seed, int64_t time_s) {
  const auto height = [seed](uint64_t wave, int64_t node) {
    uint64_t x = seed + wave * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(node) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53 - 0.5;
  };
  double sum = 0;
  int64_t length_s = 60;
  double height_max = 0.25;
  for (uint64_t wave = 0; wave < 8; ++wave, length_s *= 4, height_max *= 2) {
    const int64_t node = time_s / length_s;
    const double share = static_cast<double>(time_s % length_s) / static_cast<double>(length_s);
    sum += height_max * (height(wave, node) * (1 - share) + height(wave, node + 1) * share);
  }
  return sum;
}

Result<Value> run_random_walk(Call& call) {
  return line_of(call, call.integer(1),
                 [seed = hash_name(call.text(0))](int64_t time_s) { return walk_at(seed, time_s); });
}

Result<Value> run_series_by_tag(Call& call) { return call.error("the evaluation reads these series itself"); }

Result<Value> run_set_x_files_factor(Call& call) {
  SeriesList list = call.take(0);
  for (Series& series : list) {
    series.x_files_factor = call.number(1);
    set_tag(series, "xFilesFactor", float_text(series.x_files_factor));
  }
  return Value(std::move(list));
}

}  // namespace

std::span<const Function> special_functions() {
  static const Function kFunctions[] = {
      {"changed", "Special", "seriesList!", "1 where a value differs from the one before, 0 elsewhere.",
       run_changed},
      {"consolidateBy", "Special", "seriesList! consolidationFunc:string!",
       "Says what one value of several is where the answer has fewer: sum, average, min, max, first, last, "
       "avg_zero, "
       "count, stddev, or of distributions a percentile such as p99.",
       run_consolidate_by, Passing::kConsolidate},
      {"constantLine", "Special", "value:float!", "A line at a value.", run_constant_line},
      {"cumulative", "Special", "seriesList!", "consolidateBy(series, 'sum').", run_cumulative,
       Passing::kCumulative},
      {"events", "Special", "tags:string!*",
       "How many stored events with all of these tags begin in each second, or longer step of a long range; "
       "'*': all events.",
       run_events},
      {"fallbackSeries", "Special", "seriesList! fallback:seriesList!",
       "The second list if the first one has no series.", run_fallback_series, Passing::kAll},
      {"identity", "Calculate", "name:string!", "The time in seconds, at steps of a minute.", run_identity},
      {"randomWalk", "Special", "name:string! step:integer=60",
       "Random values, which the name and the time decide.", run_random_walk},
      {"randomWalkFunction", "Special", "name:string! step:integer=60", "The same as randomWalk().",
       run_random_walk},
      {"seriesByTag", "Special", "tagExpressions:string!*",
       "The series whose tags satisfy all expressions: 'name=disk.used', 'host!=a', 'host=~web.*', "
       "'host!=~db'.",
       run_series_by_tag},
      {"setXFilesFactor", "Special", "seriesList! xFilesFactor:float!",
       "The share of values that must be there for a summary of them.", run_set_x_files_factor},
      {"sin", "Special", "name:string! amplitude:integer=1 step:integer=60",
       "The sine of the time in seconds.", run_sin},
      {"sinFunction", "Special", "name:string! amplitude:integer=1 step:integer=60", "The same as sin().",
       run_sin},
      {"time", "Transform", "name:string! step:integer=60", "The time in seconds.", run_time_function},
      {"timeFunction", "Transform", "name:string! step:integer=60", "The same as time().", run_time_function},
      {"xFilesFactor", "Special", "seriesList! xFilesFactor:float!", "The same as setXFilesFactor().",
       run_set_x_files_factor},
  };
  return kFunctions;
}

}  // namespace statmill::graphite
