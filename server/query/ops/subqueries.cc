#include "server/query/ops/subqueries.h"

#include <algorithm>
#include <utility>

#include "server/query/ops/histogram_columns.h"
#include "server/query/ops/sample_functions.h"

namespace statmill {
namespace {

int64_t floor_multiple(int64_t value, int64_t step) {
  const int64_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

int64_t window_end(const plan::Subquery& node, int64_t point_ms) {
  return node.at_ms.value_or(point_ms) - node.offset_ms;
}

}  // namespace

std::optional<Grid> subquery_grid(const plan::Subquery& node, const Grid& grid) {
  const int64_t first = window_end(node, grid.start_ms) - node.range_ms;
  const int64_t last = window_end(node, grid.at(grid.points() - 1));
  const Grid inner{.start_ms = floor_multiple(first, node.step_ms) + node.step_ms,
                   .end_ms = floor_multiple(last, node.step_ms),
                   .step_ms = node.step_ms};
  if (inner.start_ms > inner.end_ms) return std::nullopt;
  return inner;
}

bool takes_histograms(LeafFunction function) {
  return function == LeafFunction::kCount || function == LeafFunction::kPresent;
}

Result<SeriesValues> subquery_values(const SubqueryPoints& of, const SeriesValues& series,
                                     const QueryControl& control) {
  const auto& [node, grid, inner, parameters] = of;
  std::vector<int64_t> times;
  std::vector<double> values;
  Presence storage;
  const Presence& present = presence_of(series, storage);
  for (size_t i = present.next(0); i < present.size(); i = present.next(i + 1)) {
    times.push_back(inner.at(i));
    values.push_back(series.histograms ? 1 : series.numbers.value(i));
  }
  SeriesValues result{series.labels, Numbers::of_reals(grid.points())};
  if (!node.keeps_name) result.labels.remove(kMetricName);
  std::vector<double> point_parameters(parameters.size());
  size_t begin = 0;
  size_t end = 0;
  WorkMeter meter(control);
  for (size_t i = 0; i < grid.points(); ++i) {
    const int64_t window_end_ms = window_end(node, grid.at(i));
    const int64_t window_begin_ms = window_end_ms - node.range_ms;
    while (begin < times.size() && times[begin] <= window_begin_ms) ++begin;
    end = std::max(end, begin);
    while (end < times.size() && times[end] <= window_end_ms) ++end;
    if (Status status = meter.add(end - begin); !status) return status.error();
    for (size_t p = 0; p < parameters.size(); ++p) point_parameters[p] = parameters[p].value(i);
    const SampleWindow window{.times_ms = std::span(times).subspan(begin, end - begin),
                              .values = std::span(values).subspan(begin, end - begin),
                              .begin_ms = window_begin_ms,
                              .end_ms = window_end_ms,
                              .point_ms = grid.at(i)};
    if (const auto value = sample_function(node.function, window, point_parameters)) {
      result.numbers.set(i, *value);
    }
  }
  return result;
}

}  // namespace statmill
