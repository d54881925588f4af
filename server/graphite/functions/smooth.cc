// Functions that smooth and forecast. They read values from before the range.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "server/graphite/attime.h"
#include "server/graphite/functions/common.h"

namespace statmill::graphite {
namespace {

// A window before each value, given as a number of values or as a time.
struct WindowSize {
  std::optional<int64_t> seconds;
  int64_t values = 0;
  std::string text;  // as it is written in names

  size_t values_of(const Series& series) const {
    return static_cast<size_t>(seconds ? *seconds / series.step_s : values);
  }
};

Result<WindowSize> window_size(const Call& call) {
  const Value& value = call.at(1);
  if (const auto* text = std::get_if<std::string>(&value))
    return WindowSize{std::abs(*parse_time_offset(*text)), 0, "\"" + *text + "\""};
  const int64_t values = call.integer(1);
  if (values < 0) return call.error("the window is below 0");
  return WindowSize{std::nullopt, values, std::to_string(values)};
}

// Evaluates the first argument with as many values before the range as the window has.
Result<SeriesList> with_window(Call& call, const WindowSize& window) {
  int64_t before_s = window.seconds.value_or(0);
  if (!window.seconds) {
    int64_t step_s = 0;
    for (const Series& series : call.take(0)) step_s = std::max(step_s, series.step_s);
    const double wanted_s = static_cast<double>(step_s) * static_cast<double>(window.values);
    if (wanted_s > 1e11) return call.error("the window is too long");
    before_s = step_s * window.values;
  }
  return call.first_in({call.range().from_s - before_s, call.range().until_s});
}

// Sets what the values after the window are.
Series after_window(const Series& from, std::string name, size_t window, std::vector<double> values) {
  Series out = copy_of(from, std::move(name), std::move(values));
  out.start_s = from.start_s + static_cast<int64_t>(window) * from.step_s;
  return out;
}

Result<Value> moved(Call& call, const std::string& function, std::optional<double> x_files_factor) {
  const auto window = window_size(call);
  if (!window) return window.error();
  const auto summary = parse_summary(function);
  if (!summary) return call.error("no function is called " + function);
  auto list = with_window(call, *window);
  if (!list) return list.error();
  std::string tag = "moving" + function;
  tag[6] = static_cast<char>(tag[6] >= 'a' && tag[6] <= 'z' ? tag[6] - 'a' + 'A' : tag[6]);
  SeriesList out;
  for (Series& series : *list) {
    const size_t size = window->values_of(series);
    const double factor = x_files_factor.value_or(series.x_files_factor);
    std::vector<double> values;
    for (size_t i = size; i < series.values.size(); ++i) {
      if (Status s = call.work(size + 1); !s) return s.error();
      const auto part = std::span<const double>(series.values).subspan(i - size, size);
      std::vector<double> present;
      std::ranges::copy_if(part, std::back_inserter(present), [](double value) { return !is_none(value); });
      const bool is_enough =
          !present.empty() && static_cast<double>(present.size()) >= factor * static_cast<double>(size);
      values.push_back(is_enough ? summary->of(present) : kNoValue);
    }
    set_tag(series, tag, value_text(call.at(1)));
    out.push_back(
        after_window(series, tag + "(" + series.name + "," + window->text + ")", size, std::move(values)));
  }
  return Value(std::move(out));
}

Result<Value> run_moving_window(Call& call) {
  const std::string function = call.text(2);
  return moved(call, function, call.optional_number(3));
}
Result<Value> run_moving_average(Call& call) { return moved(call, "average", call.optional_number(2)); }
Result<Value> run_moving_max(Call& call) { return moved(call, "max", call.optional_number(2)); }
Result<Value> run_moving_median(Call& call) { return moved(call, "median", call.optional_number(2)); }
Result<Value> run_moving_min(Call& call) { return moved(call, "min", call.optional_number(2)); }
Result<Value> run_moving_sum(Call& call) { return moved(call, "sum", call.optional_number(2)); }

Result<Value> run_exponential_moving_average(Call& call) {
  const auto window = window_size(call);
  if (!window) return window.error();
  auto list = with_window(call, *window);
  if (!list) return list.error();
  const double weight = 2 / (static_cast<double>(window->seconds.value_or(window->values)) + 1);
  SeriesList out;
  for (Series& series : *list) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    const size_t size = std::min(window->values_of(series), series.values.size());
    const double mean = Summary{}.of(std::span<const double>(series.values).first(size));
    double average = is_none(mean) ? 0 : mean;
    std::vector<double> values = {rounded(average, 6)};
    for (size_t i = size; i < series.values.size(); ++i) {
      const double value = series.values[i];
      if (!is_none(value)) average = weight * value + (1 - weight) * average;
      values.push_back(is_none(value) ? kNoValue : rounded(average, 6));
    }
    set_tag(series, "exponentialMovingAverage", value_text(call.at(1)));
    out.push_back(after_window(series, "exponentialMovingAverage(" + series.name + "," + window->text + ")",
                               size, std::move(values)));
  }
  return Value(std::move(out));
}

// The forecast of each value, and how far values were from their forecasts.
struct Forecast {
  std::vector<double> predictions;
  std::vector<double> deviations;
};

// Triple exponential smoothing with additive seasons, with Graphite's weights. Source: Brutlag, Aberrant
// behavior detection in time series for network monitoring, LISA 2000.
Forecast forecast_of(const Series& series, int64_t season_s) {
  constexpr double kAlpha = 0.1;
  constexpr double kBeta = 0.0035;
  constexpr double kGamma = 0.1;
  const auto season = static_cast<size_t>(season_s / series.step_s);
  const size_t size = series.values.size();
  Forecast out{std::vector<double>(size, kNoValue), std::vector<double>(size, 0)};
  std::vector<double> seasonals(size, 0);
  const auto of_last_season = [&](const std::vector<double>& values, size_t i) {
    return season > 0 && i >= season && i - season < values.size() ? values[i - season] : 0;
  };
  double intercept = kNoValue;
  double slope = 0;
  double next = kNoValue;
  for (size_t i = 0; i < size; ++i) {
    const double actual = series.values[i];
    if (is_none(actual)) {
      out.predictions[i] = next;
      intercept = kNoValue;
      slope = 0;
      next = kNoValue;
      continue;
    }
    const double prediction = i == 0 ? actual : next;
    const double last_intercept = is_none(intercept) ? actual : intercept;
    const double last_slope = i == 0 ? 0 : slope;
    const double last_seasonal = of_last_season(seasonals, i);
    const double last_deviation = of_last_season(out.deviations, i);
    intercept = kAlpha * (actual - last_seasonal) + (1 - kAlpha) * (last_intercept + last_slope);
    slope = kBeta * (intercept - last_intercept) + (1 - kBeta) * last_slope;
    seasonals[i] = kGamma * (actual - intercept) + (1 - kGamma) * last_seasonal;
    next = intercept + slope + of_last_season(seasonals, i + 1);
    const double expected = is_none(prediction) ? 0 : prediction;
    out.deviations[i] = kGamma * std::abs(actual - expected) + (1 - kGamma) * last_deviation;
    out.predictions[i] = prediction;
  }
  return out;
}

// A series as it was read, with its forecast in the range.
struct Forecasted {
  Series series;
  size_t before = 0;  // values before the range
  Forecast forecast;
};

Result<std::vector<Forecasted>> forecasts(Call& call, size_t bootstrap, size_t seasonality) {
  const int64_t before_s = std::abs(*parse_time_offset(call.text(bootstrap)));
  const int64_t season_s = std::abs(*parse_time_offset(call.text(seasonality)));
  auto list = call.first_in({call.range().from_s - before_s, call.range().until_s});
  if (!list) return list.error();
  std::vector<Forecasted> out;
  for (Series& series : *list) {
    if (Status s = call.work(8 * series.values.size()); !s) return s.error();
    const size_t before = std::min(static_cast<size_t>(before_s / series.step_s), series.values.size());
    Forecast forecast = forecast_of(series, season_s);
    out.push_back({std::move(series), before, std::move(forecast)});
  }
  return out;
}

std::vector<double> from_index(const std::vector<double>& values, size_t begin) {
  return {values.begin() + static_cast<ptrdiff_t>(begin), values.end()};
}

Series forecast_series(const Call& call, Forecasted& from, const std::string& function,
                       std::vector<double> values) {
  set_tag(from.series, function, "1");
  Series out =
      after_window(from.series, function + "(" + from.series.name + ")", from.before, std::move(values));
  out.consolidation = {};
  out.x_files_factor = call.x_files_factor();
  return out;
}

Result<Value> run_holt_winters_forecast(Call& call) {
  auto all = forecasts(call, 1, 2);
  if (!all) return all.error();
  SeriesList out;
  for (Forecasted& one : *all)
    out.push_back(
        forecast_series(call, one, "holtWintersForecast", from_index(one.forecast.predictions, one.before)));
  return Value(std::move(out));
}

struct Bands {
  Series lower;
  Series upper;
};

// The forecast minus and plus a multiple of the deviation.
Result<std::vector<Bands>> bands_of(Call& call) {
  auto all = forecasts(call, 2, 3);
  if (!all) return all.error();
  const double delta = call.number(1);
  std::vector<Bands> out;
  for (Forecasted& one : *all) {
    std::vector<double> lower = from_index(one.forecast.predictions, one.before);
    std::vector<double> upper = lower;
    for (size_t i = 0; i < lower.size(); ++i) {
      lower[i] -= delta * one.forecast.deviations[one.before + i];
      upper[i] += delta * one.forecast.deviations[one.before + i];
    }
    Series upper_series = forecast_series(call, one, "holtWintersConfidenceUpper", std::move(upper));
    Series lower_series = forecast_series(call, one, "holtWintersConfidenceLower", std::move(lower));
    upper_series.path = lower_series.path = one.series.path;
    out.push_back({std::move(lower_series), std::move(upper_series)});
  }
  return out;
}

Result<Value> run_holt_winters_confidence_bands(Call& call) {
  auto all = bands_of(call);
  if (!all) return all.error();
  SeriesList out;
  for (Bands& bands : *all) {
    out.push_back(std::move(bands.lower));
    out.push_back(std::move(bands.upper));
  }
  return Value(std::move(out));
}

Result<Value> run_holt_winters_confidence_area(Call& call) {
  auto all = bands_of(call);
  if (!all) return all.error();
  if (all->size() != 1) return call.error("it needs exactly one series");
  SeriesList out;
  for (Series* series : {&all->front().lower, &all->front().upper}) {
    set_tag(*series, "holtWintersConfidenceArea", "1");
    series->rename("holtWintersConfidenceArea(" + series->path + ")");
    out.push_back(std::move(*series));
  }
  return Value(std::move(out));
}

Result<Value> run_holt_winters_aberration(Call& call) {
  SeriesList list = call.take(0);
  auto all = bands_of(call);
  if (!all) return all.error();
  std::map<std::string, const Bands*> bands;
  for (const Bands& one : *all) bands[one.lower.name] = &one;
  SeriesList out;
  for (Series& series : list) {
    const auto found = bands.find("holtWintersConfidenceLower(" + series.name + ")");
    if (found == bands.end()) continue;
    const Bands& band = *found->second;
    std::vector<double> values(series.values.size(), 0);
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t shift = (series.start_s - band.lower.start_s) / series.step_s + static_cast<int64_t>(i);
      if (shift < 0 || shift >= static_cast<int64_t>(band.lower.values.size())) continue;
      const double value = series.values[i];
      const double above = value - band.upper.values[static_cast<size_t>(shift)];
      const double below = value - band.lower.values[static_cast<size_t>(shift)];
      values[i] = above > 0 ? above : below < 0 ? below : 0;
    }
    set_tag(series, "holtWintersAberration", "1");
    Series result = copy_of(series, "holtWintersAberration(" + series.name + ")", std::move(values));
    result.consolidation = {};
    out.push_back(std::move(result));
  }
  return Value(std::move(out));
}

}  // namespace

std::span<const Function> smooth_functions() {
  constexpr std::string_view kWindow = "seriesList! windowSize:intOrInterval! xFilesFactor:float";
  constexpr std::string_view kBands =
      "seriesList! delta:integer=3 bootstrapInterval:interval=7d seasonality:interval=1d";
  static const Function kFunctions[] = {
      {"exponentialMovingAverage", "Calculate", "seriesList! windowSize:intOrInterval!",
       "A mean in which older values weigh less and less.", run_exponential_moving_average},
      {"holtWintersAberration", "Calculate", kBands,
       "How far values are outside of holtWintersConfidenceBands().", run_holt_winters_aberration},
      {"holtWintersConfidenceArea", "Calculate", kBands, "holtWintersConfidenceBands() of one series.",
       run_holt_winters_confidence_area},
      {"holtWintersConfidenceBands", "Calculate", kBands,
       "The forecast minus and plus `delta` times the usual deviation.", run_holt_winters_confidence_bands},
      {"holtWintersForecast", "Calculate",
       "seriesList! bootstrapInterval:interval=7d seasonality:interval=1d",
       "A forecast from a level, a slope and a season.", run_holt_winters_forecast},
      {"movingAverage", "Calculate", kWindow, "The mean of the window before each value.",
       run_moving_average},
      {"movingMax", "Calculate", kWindow, "The greatest value of the window before each value.",
       run_moving_max},
      {"movingMedian", "Calculate", kWindow, "The median of the window before each value.",
       run_moving_median},
      {"movingMin", "Calculate", kWindow, "The least value of the window before each value.", run_moving_min},
      {"movingSum", "Calculate", kWindow, "The sum of the window before each value.", run_moving_sum},
      {"movingWindow", "Calculate",
       "seriesList! windowSize:intOrInterval! func:aggFunc=average xFilesFactor:float",
       "A summary of the window before each value.", run_moving_window},
  };
  return kFunctions;
}

}  // namespace statmill::graphite
