#include "tests/server/promql/memory_series.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "base/text.h"
#include "server/promql/compile.h"
#include "server/promql/parser.h"
#include "server/query/ops/histogram_columns.h"
#include "server/query/ops/sample_functions.h"
#include "server/query/plan/evaluation.h"

namespace statmill {
namespace {

bool is_one_of(std::string_view value, std::string_view alternatives) {
  if (alternatives == ".+") return !value.empty();
  if (alternatives == ".*") return true;
  while (true) {
    const size_t end = std::min(alternatives.find('|'), alternatives.size());
    if (alternatives.substr(0, end) == value) return true;
    if (end == alternatives.size()) return false;
    alternatives.remove_prefix(end + 1);
  }
}

bool matches(const SeriesLabels& labels, const LabelMatcher& matcher) {
  const std::string_view value = labels.get(matcher.label);
  switch (matcher.op) {
    case LabelMatcher::Op::kEqual:
      return value == matcher.value;
    case LabelMatcher::Op::kNotEqual:
      return value != matcher.value;
    case LabelMatcher::Op::kMatches:
      return is_one_of(value, matcher.value);
    case LabelMatcher::Op::kMatchesNot:
      return !is_one_of(value, matcher.value);
  }
  return false;
}

int64_t window_end_ms(const LeafRequest& request, size_t point) {
  return request.at_ms.value_or(request.grid.at(point)) - request.offset_ms;
}

// The samples of one series, as the functions of samples want them.
struct Times {
  std::vector<int64_t> ms;
  std::vector<double> values;
};

struct Range {
  size_t begin = 0;
  size_t end = 0;
};

Range window_of(const LeafRequest& request, const Times& times, size_t point) {
  const int64_t end = window_end_ms(request, point);
  const auto index = [&](int64_t ms) {
    return static_cast<size_t>(std::lower_bound(times.ms.begin(), times.ms.end(), ms) - times.ms.begin());
  };
  return {index(end - request.range_ms), index(end)};
}

bool is_instant(LeafFunction function) {
  return function == LeafFunction::kInstant || function == LeafFunction::kLast;
}

Numbers numbers_of(const LeafRequest& request, const MemorySeries& series, const Times& times) {
  const size_t points = request.grid.points();
  const bool is_decimal = series.reals.empty() && is_instant(request.function);
  Numbers numbers = is_decimal ? Numbers::of_decimals(points, series.scale) : Numbers::of_reals(points);
  std::vector<double> parameters(request.parameters.size());
  for (size_t i = 0; i < points; ++i) {
    const Range range = window_of(request, times, i);
    for (size_t p = 0; p < parameters.size(); ++p) parameters[p] = request.parameters[p].value(i);
    const SampleWindow window{.times_ms = std::span(times.ms).subspan(range.begin, range.end - range.begin),
                              .values = std::span(times.values).subspan(range.begin, range.end - range.begin),
                              .begin_ms = window_end_ms(request, i) - request.range_ms,
                              .end_ms = window_end_ms(request, i),
                              .point_ms = request.grid.at(i)};
    const std::optional<double> value = sample_function(request.function, window, parameters);
    if (!value) continue;
    if (is_decimal) {
      numbers.present.set(i);
      numbers.integers[i] = series.integers[range.end - 1];
    } else {
      numbers.set(i, *value);
    }
  }
  return numbers;
}

Histograms histograms_of(const LeafRequest& request, const MemorySeries& series, const Times& times) {
  const size_t points = request.grid.points();
  Histograms histograms{std::vector<Bucket>(points), std::vector<SparseHistogram>(points),
                        std::vector<double>(points, 1)};
  if (request.function == LeafFunction::kRate) {
    histograms.seconds.assign(points, static_cast<double>(request.range_ms) / 1000);
  }
  for (size_t i = 0; i < points; ++i) {
    const Range range = window_of(request, times, i);
    for (size_t s = range.begin; s < range.end; ++s) {
      for (const double value : series.samples[s]) {
        histograms.buckets[i].add(Number::decimal(static_cast<int64_t>(value), 0));
        histograms.histograms[i].add(histogram_index(value));
      }
    }
  }
  return histograms;
}

bool wants_histograms(LeafFunction function) {
  return function == LeafFunction::kBuckets || function == LeafFunction::kRate ||
         function == LeafFunction::kIncrease;
}

}  // namespace

Status MemorySource::read(const LeafRequest& request, QueryNotes&,
                          const std::function<Status(SeriesValues)>& take) {
  ++reads_;
  for (const MemorySeries& series : series_) {
    SeriesValues values{SeriesLabels::of_name(series.name), {}};
    const bool is_selected =
        std::all_of(request.matchers.begin(), request.matchers.end(),
                    [&](const auto& matcher) { return matches(values.labels, matcher); });
    if (!is_selected) continue;
    Times times;
    for (size_t i = 0; i < series.times_s.size(); ++i) {
      times.ms.push_back(series.times_s[i] * 1000);
      if (!series.samples.empty()) {
        times.values.push_back(series.samples[i].front());
      } else if (!series.reals.empty()) {
        times.values.push_back(series.reals[i]);
      } else {
        times.values.push_back(AnswerNumber::decimal(series.integers[i], series.scale).value());
      }
    }
    if (!series.samples.empty() && wants_histograms(request.function)) {
      values.histograms = histograms_of(request, series, times);
    } else {
      values.numbers = numbers_of(request, series, times);
    }
    if (!has_values(values)) continue;
    if (Status status = take(std::move(values)); !status) return status;
  }
  return Status::ok();
}

MemorySeries gauge(std::string name, std::vector<int64_t> integers, int8_t scale) {
  MemorySeries series{
      .name = std::move(name), .times_s = {}, .integers = std::move(integers), .scale = scale};
  for (size_t i = 0; i < series.integers.size(); ++i) {
    series.times_s.push_back(static_cast<int64_t>(i) * 10 + 5);
  }
  return series;
}

MemorySeries real_gauge(std::string name, std::vector<double> values) {
  MemorySeries series{.name = std::move(name), .times_s = {}, .reals = std::move(values)};
  for (size_t i = 0; i < series.reals.size(); ++i) {
    series.times_s.push_back(static_cast<int64_t>(i) * 10 + 5);
  }
  return series;
}

namespace {

std::string labels_text(const SeriesLabels& labels) {
  std::string out = "{";
  for (const auto& [name, value] : labels.all()) {
    if (out.size() > 1) out += ", ";
    out.append(name).append("=\"").append(value).append("\"");
  }
  return out + "}";
}

void append_value(std::string& out, const Numbers& numbers, size_t i) {
  out += ' ';
  if (!numbers.present[i]) {
    out += '-';
  } else if (const double value = numbers.value(i); std::isfinite(value)) {
    numbers.number(i).append_to(out);
  } else {
    out += std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  }
}

std::string line_of(const SeriesValues& series) {
  std::string line = labels_text(series.labels);
  if (series.histograms) {
    for (size_t i = 0; i < series.histograms->size(); ++i) {
      line += " h" + std::to_string(series.histograms->buckets[i].count());
    }
    return line + "\n";
  }
  for (size_t i = 0; i < series.numbers.size(); ++i) append_value(line, series.numbers, i);
  return line + "\n";
}

}  // namespace

std::string evaluate(MemorySource& source, std::string_view query, const Grid& grid) {
  const Result<promql::SyntaxTree> tree = promql::parse_promql(query);
  if (!tree) return tree.error().message;
  const Result<plan::Plan> plan = promql::compile(*tree, {.start_ms = grid.start_ms, .end_ms = grid.end_ms});
  if (!plan) return plan.error().message;
  QueryControl control;
  QueryNotes notes;
  Evaluation evaluation(*plan, source, control, notes);
  std::string answer;
  if (plan::is_scalar(plan->nodes[plan->root])) {
    const Result<Numbers> numbers = evaluation.run_scalar(grid);
    if (!numbers) return numbers.error().message;
    for (size_t i = 0; i < numbers->size(); ++i) append_value(answer, *numbers, i);
    return answer.substr(1);
  }
  std::vector<std::string> lines;
  const Status status = evaluation.run(grid, [&](const SeriesValues& series) {
    lines.push_back(line_of(series));
    return Status::ok();
  });
  if (!status) return status.error().message;
  const bool is_sorted =
      query.starts_with("sort") || query.starts_with("topk") || query.starts_with("bottomk");
  if (!is_sorted) std::sort(lines.begin(), lines.end());
  for (const std::string& line : lines) answer += line;
  for (const std::string& text : notes.warnings) answer += "warning: " + text + "\n";
  for (const std::string& text : notes.infos) answer += "info: " + text + "\n";
  return answer;
}

std::string evaluate(MemorySource& source, std::string_view query, int64_t time_s) {
  return evaluate(source, query, Grid{.start_ms = time_s * 1000, .end_ms = time_s * 1000, .step_ms = 1});
}

}  // namespace statmill
