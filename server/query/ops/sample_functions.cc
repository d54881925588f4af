#include "server/query/ops/sample_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "server/query/ops/compensated_sum.h"
#include "server/query/ops/special_values.h"

namespace statmill {
namespace {

double seconds(int64_t ms) { return static_cast<double>(ms) / 1000; }

double sum_of(std::span<const double> values) {
  CompensatedSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

double mean_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double sum = sum_of(values);
  if (!std::isinf(sum) || std::any_of(values.begin(), values.end(), [](double v) { return std::isinf(v); })) {
    return sum / count;
  }
  CompensatedSum mean;  // the sum is too large for a double, the mean is not
  for (const double value : values) mean.add(value / count);
  return mean.value();
}

double variance_of(std::span<const double> values) {
  const double mean = mean_of(values);
  CompensatedSum squares;
  for (const double value : values) squares.add((value - mean) * (value - mean));
  return squares.value() / static_cast<double>(values.size());
}

// Returns the last of several equal extremes. NaN is one only if all values are NaN.
template <class Stays>
size_t extreme_index(std::span<const double> values, Stays stays) {
  size_t best = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    if (!stays(values[best], values[i]) || std::isnan(values[best])) best = i;
  }
  return best;
}

size_t index_of_min(std::span<const double> values) {
  return extreme_index(values, [](double best, double value) { return !(value <= best); });
}

size_t index_of_max(std::span<const double> values) {
  return extreme_index(values, [](double best, double value) { return !(value >= best); });
}

struct RateForm {
  bool is_counter = false;  // a decrease is a reset to 0
  bool is_per_second = false;
};

// Extrapolates the change between the first and the last sample to the edges of the window, unless an edge is
// much farther away than samples are from each other, or a counter would have been below 0 there.
std::optional<double> extrapolated_change(const SampleWindow& window, RateForm form) {
  const auto& values = window.values;
  if (values.size() < 2) return std::nullopt;
  double change = values.back() - values.front();
  if (form.is_counter) {
    for (size_t i = 1; i < values.size(); ++i) {
      if (values[i] < values[i - 1]) change += values[i - 1];
    }
  }
  double to_begin = seconds(window.times_ms.front() - window.begin_ms);
  const double to_end = seconds(window.end_ms - window.times_ms.back());
  const double sampled = seconds(window.times_ms.back() - window.times_ms.front());
  const double between_samples = sampled / static_cast<double>(values.size() - 1);
  if (form.is_counter && change > 0 && values.front() >= 0) {
    to_begin = std::min(to_begin, sampled * (values.front() / change));
  }
  const double farthest = between_samples * 1.1;
  const double covered = sampled + (to_begin < farthest ? to_begin : between_samples / 2) +
                         (to_end < farthest ? to_end : between_samples / 2);
  double factor = covered / sampled;
  if (form.is_per_second) factor /= seconds(window.end_ms - window.begin_ms);
  return change * factor;
}

std::optional<double> last_change(const SampleWindow& window, RateForm form) {
  const size_t count = window.values.size();
  if (count < 2) return std::nullopt;
  const double last = window.values[count - 1];
  const double previous = window.values[count - 2];
  const double change = form.is_counter && last < previous ? last : last - previous;
  if (!form.is_per_second) return change;
  return change / seconds(window.times_ms[count - 1] - window.times_ms[count - 2]);
}

double count_changes(std::span<const double> values) {
  size_t count = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    const bool are_nan = std::isnan(values[i]) && std::isnan(values[i - 1]);
    count += static_cast<size_t>(values[i] != values[i - 1] && !are_nan);
  }
  return static_cast<double>(count);
}

double count_resets(std::span<const double> values) {
  size_t count = 0;
  for (size_t i = 1; i < values.size(); ++i) count += static_cast<size_t>(values[i] < values[i - 1]);
  return static_cast<double>(count);
}

struct Line {
  double slope = 0;
  double intercept = 0;  // the value at time `zero_ms`
};

// The line of least squares. Requires: at least two samples.
Line fitted_line(const SampleWindow& window, int64_t zero_ms) {
  const auto& values = window.values;
  if (std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); })) {
    if (std::isinf(values.front())) return {kNan, kNan};
    return {0, values.front()};
  }
  CompensatedSum sum_x;
  CompensatedSum sum_y;
  CompensatedSum sum_xy;
  CompensatedSum sum_xx;
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = seconds(window.times_ms[i] - zero_ms);
    sum_x.add(x);
    sum_y.add(values[i]);
    sum_xy.add(x * values[i]);
    sum_xx.add(x * x);
  }
  const auto count = static_cast<double>(values.size());
  const double x = sum_x.value();
  const double y = sum_y.value();
  const double slope = (sum_xy.value() - x * y / count) / (sum_xx.value() - x * x / count);
  return {slope, y / count - slope * x / count};
}

std::optional<double> smoothed(std::span<const double> values, double smoothing_factor, double trend_factor) {
  if (values.size() < 2) return std::nullopt;
  double previous = 0;
  double level = values[0];
  double trend = values[1] - values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    if (i > 1) trend = trend_factor * (level - previous) + (1 - trend_factor) * trend;
    const double next = smoothing_factor * values[i] + (1 - smoothing_factor) * (level + trend);
    previous = level;
    level = next;
  }
  return level;
}

double median_deviation(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const double median = interpolated_quantile(0.5, sorted);
  for (double& value : sorted) value = std::abs(value - median);
  return interpolated_quantile(0.5, sorted);
}

double quantile_of(std::span<const double> values, double q) {
  std::vector<double> sorted(values.begin(), values.end());
  return interpolated_quantile(q, sorted);
}

// The functions whose result depends on the times of the samples.
std::optional<double> timed_function(LeafFunction function, const SampleWindow& window,
                                     std::span<const double> parameters) {
  switch (function) {
    case LeafFunction::kIncrease:
      return extrapolated_change(window, {.is_counter = true, .is_per_second = false});
    case LeafFunction::kRate:
      return extrapolated_change(window, {.is_counter = true, .is_per_second = true});
    case LeafFunction::kDelta:
      return extrapolated_change(window, {});
    case LeafFunction::kIrate:
      return last_change(window, {.is_counter = true, .is_per_second = true});
    case LeafFunction::kIdelta:
      return last_change(window, {});
    case LeafFunction::kTimeOfFirst:
      return seconds(window.times_ms.front());
    case LeafFunction::kTimestamp:
    case LeafFunction::kTimeOfLast:
      return seconds(window.times_ms.back());
    case LeafFunction::kTimeOfMin:
      return seconds(window.times_ms[index_of_min(window.values)]);
    case LeafFunction::kTimeOfMax:
      return seconds(window.times_ms[index_of_max(window.values)]);
    case LeafFunction::kDeriv:
      if (window.values.size() < 2) return std::nullopt;
      return fitted_line(window, window.times_ms.front()).slope;
    case LeafFunction::kPredictLinear: {
      if (window.values.size() < 2) return std::nullopt;
      const Line line = fitted_line(window, window.point_ms);
      return line.slope * parameters[0] + line.intercept;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<double> sample_function(LeafFunction function, const SampleWindow& window,
                                      std::span<const double> parameters) {
  const auto& values = window.values;
  if (values.empty()) return std::nullopt;
  switch (function) {
    case LeafFunction::kPresence:
    case LeafFunction::kPresent:
      return 1;
    case LeafFunction::kFirst:
      return values.front();
    case LeafFunction::kInstant:
    case LeafFunction::kLast:
      return values.back();
    case LeafFunction::kAvg:
      return mean_of(values);
    case LeafFunction::kMin:
      return values[index_of_min(values)];
    case LeafFunction::kMax:
      return values[index_of_max(values)];
    case LeafFunction::kSum:
      return sum_of(values);
    case LeafFunction::kCount:
      return static_cast<double>(values.size());
    case LeafFunction::kStddev:
      return std::sqrt(variance_of(values));
    case LeafFunction::kStdvar:
      return variance_of(values);
    case LeafFunction::kChanges:
      return count_changes(values);
    case LeafFunction::kResets:
      return count_resets(values);
    case LeafFunction::kSmoothing:
      return smoothed(values, parameters[0], parameters[1]);
    case LeafFunction::kQuantile:
      return quantile_of(values, parameters[0]);
    case LeafFunction::kMad:
      return median_deviation(values);
    default:
      return timed_function(function, window, parameters);
  }
}

double interpolated_quantile(double q, std::span<double> values) {
  if (values.empty() || std::isnan(q)) return kNan;
  if (q < 0) return -kInfinity;
  if (q > 1) return kInfinity;
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return std::isnan(a) ? !std::isnan(b) : a < b; });
  const double rank = q * static_cast<double>(values.size() - 1);
  const auto lower = static_cast<size_t>(rank);
  const size_t upper = std::min(lower + 1, values.size() - 1);
  const double weight = rank - std::floor(rank);
  return values[lower] * (1 - weight) + values[upper] * weight;
}

Status check_sample_parameters(LeafFunction function, std::span<const double> parameters) {
  if (function != LeafFunction::kSmoothing) return Status::ok();
  constexpr std::array<std::string_view, 2> kNames = {"smoothing factor", "trend factor"};
  constexpr std::array<std::string_view, 2> kLetters = {"sf", "tf"};
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (parameters[i] > 0 && parameters[i] < 1) continue;
    return Error{ErrorCode::kInvalid, "invalid " + std::string(kNames[i]) + ". Expected: 0 < " +
                                          std::string(kLetters[i]) +
                                          " < 1, got: " + std::to_string(parameters[i])};
  }
  return Status::ok();
}

}  // namespace statmill
