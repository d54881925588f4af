#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/query/naive/functions.h"

namespace statmill::naive {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What the function adds up: single samples of gauges and distributions, otherwise the points.
std::vector<Quad> observations(const Window& window) {
  std::vector<Quad> out;
  for (const WindowPoint& point : window.points) {
    if (point.slot == nullptr || window.is_counter()) {
      out.push_back(point.value);
    } else {
      out.insert(out.end(), point.slot->samples.begin(), point.slot->samples.end());
    }
  }
  return out;
}

std::vector<double> point_values(const Window& window) {
  std::vector<double> out;
  for (const WindowPoint& point : window.points) out.push_back(rounded(point.value));
  return out;
}

Quad sum_of(const std::vector<Quad>& values) {
  Quad sum = 0;
  for (const Quad value : values) sum += value;
  return sum;
}

Quad variance_of(const std::vector<Quad>& values) {
  const auto count = static_cast<Quad>(values.size());
  const Quad mean = sum_of(values) / count;
  Quad squares = 0;
  for (const Quad value : values) squares += (value - mean) * (value - mean);
  return squares / count;
}

// NaN counts only if there is nothing else.
template <class IsBetter>
Quad best_of(const std::vector<Quad>& values, IsBetter is_better) {
  Quad best = values.front();
  for (const Quad value : values) {
    if (is_better(value, best) || best != best) best = value;
  }
  return best;
}

double median_deviation(const std::vector<double>& values) {
  const double median = interpolated_quantile(0.5, values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::fabs(value - median));
  return interpolated_quantile(0.5, deviations);
}

double changes_of(const Window& window) {
  double changes = 0;
  for (size_t i = 0; i < window.points.size(); ++i) {
    if (window.is_counter()) {
      changes += window.points[i].slot->sum != 0 ? 1 : 0;
    } else if (i > 0) {
      const double now = rounded(window.points[i].value);
      const double before = rounded(window.points[i - 1].value);
      changes += now != before && !(std::isnan(now) && std::isnan(before)) ? 1 : 0;
    }
  }
  return changes;
}

double resets_of(const std::vector<double>& values) {
  double resets = 0;
  for (size_t i = 1; i < values.size(); ++i) resets += values[i] < values[i - 1] ? 1 : 0;
  return resets;
}

struct Line {
  Quad slope = 0;
  Quad at_origin = 0;
};

// Least squares, with times relative to `origin`.
Line fitted_line(const Window& window, Timestamp origin) {
  const auto count = static_cast<Quad>(window.points.size());
  Quad sum_x = 0;
  Quad sum_y = 0;
  Quad sum_xx = 0;
  Quad sum_xy = 0;
  bool is_constant = true;
  for (const WindowPoint& point : window.points) {
    const Quad x = seconds_of(point.middle - origin);
    is_constant = is_constant && point.value == window.points.front().value;
    sum_x += x;
    sum_y += point.value;
    sum_xx += x * x;
    sum_xy += x * point.value;
  }
  if (is_constant) return {0, window.points.front().value};
  const Quad slope = (sum_xy - sum_x * sum_y / count) / (sum_xx - sum_x * sum_x / count);
  return {slope, sum_y / count - slope * sum_x / count};
}

// Holt and Winters without seasons.
Result<std::optional<PointValue>> smoothed(const FunctionCall& call, const std::vector<double>& values) {
  const double level = call.numbers[0];
  const double trend_share = call.numbers[1];
  for (const double factor : call.numbers) {
    if (!(factor > 0 && factor < 1)) return Error{ErrorCode::kInvalid, "a factor is not between 0 and 1"};
  }
  if (values.size() < 2) return std::optional<PointValue>();
  double before = 0;
  double smooth = values[0];
  double trend = values[1] - values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    if (i > 1) trend = trend_share * (smooth - before) + (1 - trend_share) * trend;
    before = std::exchange(smooth, level * values[i] + (1 - level) * (smooth + trend));
  }
  return std::optional<PointValue>(smooth);
}

// The begin of the slot with the least or greatest sample; the newest of several.
template <class IsBetter>
Quad time_of_best(const Window& window, IsBetter is_better) {
  std::optional<Quad> best;
  Timestamp time;
  for (const WindowPoint& point : window.points) {
    std::vector<Quad> values = {point.value};
    if (point.slot != nullptr && !window.is_counter()) values = point.slot->samples;
    const Quad value = best_of(values, is_better);
    if (best && is_better(*best, value)) continue;
    best = value;
    time = point.begin;
  }
  return seconds_of(time);
}

SampleList all_samples(const Window& window) {
  SampleList out;
  for (const Quad value : observations(window)) out.push_back({value, 1});
  return out;
}

std::optional<PointValue> number_over_time(std::string_view name, const Window& window) {
  const auto is_less = [](Quad a, Quad b) { return a < b; };
  const auto is_greater = [](Quad a, Quad b) { return a > b; };
  const std::vector<Quad> all = observations(window);
  if (name == "sum_over_time") return sum_of(all);
  if (name == "count_over_time") return static_cast<Quad>(all.size());
  if (name == "avg_over_time") return sum_of(all) / static_cast<Quad>(all.size());
  if (name == "min_over_time") return best_of(all, is_less);
  if (name == "max_over_time") return best_of(all, is_greater);
  if (name == "stdvar_over_time") return variance_of(all);
  if (name == "stddev_over_time") return std::sqrt(static_cast<long double>(variance_of(all)));
  if (name == "present_over_time") return Quad(1);
  if (name == "first_over_time") return window.points.front().value;
  if (name == "last_over_time") return window.points.back().value;
  if (name == "ts_of_first_over_time") return Quad(seconds_of(window.points.front().begin));
  if (name == "ts_of_last_over_time") return Quad(seconds_of(window.points.back().begin));
  if (name == "ts_of_min_over_time") return time_of_best(window, is_less);
  if (name == "ts_of_max_over_time") return time_of_best(window, is_greater);
  if (name == "changes") return Quad(changes_of(window));
  if (name == "mad_over_time") return Quad(median_deviation(point_values(window)));
  return std::nullopt;
}

}  // namespace

Result<std::optional<PointValue>> over_time(const FunctionCall& call, const Window& window) {
  using Answered = std::optional<PointValue>;
  if (const Answered number = number_over_time(call.name, window)) return number;
  const bool is_distribution = window.kind == SeriesKind::kDistribution;
  if (call.name == "quantile_over_time") {
    const double q = call.numbers[0];
    return Answered(is_distribution ? nearest_rank(q, all_samples(window))
                                    : interpolated_quantile(q, point_values(window)));
  }
  if (call.name == "buckets_over_time") {
    const bool has_buckets = window.kind && !window.is_counter();
    return has_buckets ? Answered(all_samples(window)) : Answered();
  }
  if (call.name == "resets") {
    if (window.is_counter()) return Error{ErrorCode::kUnavailable, "increments are kept, not values"};
    return Answered(resets_of(point_values(window)));
  }
  if (call.name == "deriv" || call.name == "predict_linear") {
    if (window.points.size() < 2) return Answered();
    if (call.name == "deriv") return Answered(fitted_line(window, window.points.front().middle).slope);
    const Line line = fitted_line(window, call.time);
    return Answered(line.slope * static_cast<Quad>(call.numbers[0]) + line.at_origin);
  }
  if (call.name == "holt_winters" || call.name == "double_exponential_smoothing") {
    return smoothed(call, point_values(window));
  }
  return rate_of(call.name, window);
}

double interpolated_quantile(double q, std::vector<double> values) {
  if (values.empty() || std::isnan(q)) return kNaN;
  if (q < 0) return -kInfinity;
  if (q > 1) return kInfinity;
  // NaN is the least.
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return std::isnan(a) ? !std::isnan(b) : a < b; });
  const double rank = q * static_cast<double>(values.size() - 1);
  const auto lower = static_cast<size_t>(std::floor(rank));
  const size_t upper = std::min(lower + 1, values.size() - 1);
  const double weight = rank - std::floor(rank);
  return values[lower] * (1 - weight) + values[upper] * weight;
}

double nearest_rank(double q, SampleList samples) {
  if (samples.empty() || std::isnan(q)) return kNaN;
  if (q < 0) return -kInfinity;
  if (q > 1) return kInfinity;
  std::sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  Quad all = 0;
  for (const WeightedSample& sample : samples) all += sample.weight;
  // 0.9 is a double that is a little greater: of ten samples, the ninth is wanted.
  const Quad wanted = all * static_cast<Quad>(q) * (1 - static_cast<Quad>(0x1p-51));
  Quad reached = 0;
  for (const WeightedSample& sample : samples) {
    reached += sample.weight;
    if (reached >= wanted && sample.weight > 0) return rounded(sample.value);
  }
  return rounded(samples.back().value);
}

}  // namespace statmill::naive
