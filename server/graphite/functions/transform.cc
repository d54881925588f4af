// Functions that compute each value of a series from that value, or from it and those before it.
#include <cmath>
#include <utility>

#include "server/graphite/attime.h"
#include "server/graphite/functions/common.h"

namespace statmill::graphite {
namespace {

// What a function of single values makes of a series' name and tags.
struct Marks {
  std::string name;  // "scale(NAME,2)" without NAME: what comes before and after it
  std::string after = ")";
  std::string_view tag = {};
  std::string tag_value = "1";
};

// Replaces each value, none included, by what `value_of` returns.
template <class ValueOf>
Result<Value> mapped(Call& call, const Marks& marks, const ValueOf& value_of) {
  SeriesList list = call.take(0);
  for (Series& series : list) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    if (!marks.tag.empty()) set_tag(series, marks.tag, marks.tag_value);
    series.rename(marks.name + series.name + marks.after);
    for (double& value : series.values) value = value_of(value);
  }
  return Value(std::move(list));
}

// Makes a new series of each; `values_of` returns the values.
template <class ValuesOf>
Result<Value> rebuilt(Call& call, const Marks& marks, const ValuesOf& values_of) {
  SeriesList out;
  for (Series& series : call.take(0)) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    if (!marks.tag.empty()) set_tag(series, marks.tag, marks.tag_value);
    std::vector<double> values = values_of(series);
    out.push_back(copy_of(series, marks.name + series.name + marks.after, std::move(values)));
  }
  return Value(std::move(out));
}

// Python's math functions fail where these would give no finite number.
double finite(double value) { return std::isfinite(value) ? value : kNoValue; }

Result<Value> run_absolute(Call& call) {
  return mapped(call, {.name = "absolute(", .tag = "absolute"}, [](double value) { return std::abs(value); });
}

Result<Value> run_add(Call& call) {
  const double constant = call.number(1);
  return mapped(call,
                {.name = "add(",
                 .after = "," + number_text(std::trunc(constant)) + ")",
                 .tag = "add",
                 .tag_value = float_text(constant)},
                [&](double value) { return value + constant; });
}

Result<Value> run_delay(Call& call) {
  const int64_t steps = call.integer(1);
  return rebuilt(call,
                 {.name = "delay(",
                  .after = "," + number_text(static_cast<double>(steps)) + ")",
                  .tag = "delay",
                  .tag_value = number_text(static_cast<double>(steps))},
                 [&](const Series& series) {
                   std::vector<double> values(series.values.size(), kNoValue);
                   const auto size = static_cast<int64_t>(values.size());
                   for (int64_t i = 0; i < size; ++i) {
                     const int64_t from = i - steps;
                     if (from >= 0 && from < size)
                       values[static_cast<size_t>(i)] = series.values[static_cast<size_t>(from)];
                   }
                   return values;
                 });
}

Result<Value> run_derivative(Call& call) {
  return rebuilt(call, {.name = "derivative(", .tag = "derivative"}, [](const Series& series) {
    std::vector<double> values(series.values.size(), kNoValue);
    for (size_t i = 1; i < values.size(); ++i) values[i] = series.values[i] - series.values[i - 1];
    return values;
  });
}

Result<Value> run_exp(Call& call) {
  return mapped(call, {.name = "exp(", .tag = "exp", .tag_value = "e"},
                [](double value) { return finite(std::exp(value)); });
}

Result<Value> run_integral(Call& call) {
  return rebuilt(call, {.name = "integral(", .tag = "integral"}, [](const Series& series) {
    std::vector<double> values = series.values;
    double sum = 0;
    for (double& value : values) {
      if (!is_none(value)) value = sum += value;
    }
    return values;
  });
}

Result<Value> run_integral_by_interval(Call& call) {
  const int64_t interval_s = std::abs(*parse_time_offset(call.text(1)));
  if (interval_s == 0) return call.error("the interval is 0");
  const int64_t from_s = call.range().from_s;
  const auto interval_of = [&](int64_t time_s) {
    const int64_t passed_s = time_s - from_s;
    return passed_s >= 0 ? passed_s / interval_s : -((interval_s - 1 - passed_s) / interval_s);
  };
  return rebuilt(call,
                 {.name = "integralByInterval(",
                  .after = ",'" + call.text(1) + "')",
                  .tag = "integralByInterval",
                  .tag_value = call.text(1)},
                 [&](const Series& series) {
                   std::vector<double> values = series.values;
                   double sum = 0;
                   int64_t time_s = series.start_s;
                   for (double& value : values) {
                     if (interval_of(time_s) != interval_of(time_s - series.step_s)) sum = 0;
                     if (!is_none(value)) sum += value;
                     value = sum;
                     time_s += series.step_s;
                   }
                   return values;
                 });
}

Result<Value> run_invert(Call& call) {
  return mapped(call, {.name = "invert(", .tag = "invert"}, [](double value) { return finite(1 / value); });
}

Result<Value> run_is_non_null(Call& call) {
  return mapped(call, {.name = "isNonNull(", .tag = "isNonNull"},
                [](double value) { return is_none(value) ? 0.0 : 1.0; });
}

Result<Value> run_log(Call& call) {
  const double base = call.number(1);
  if (base <= 0 || base == 1) return call.error("the base is above 0 and not 1");
  return rebuilt(
      call,
      {.name = "log(", .after = ", " + number_text(base) + ")", .tag = "log", .tag_value = number_text(base)},
      [&](const Series& series) {
        std::vector<double> values = series.values;
        for (double& value : values) value = value > 0 ? std::log(value) / std::log(base) : kNoValue;
        return values;
      });
}

Result<Value> run_logit(Call& call) {
  return mapped(call, {.name = "logit(", .tag = "logit", .tag_value = "logit"}, [](double value) {
    const double odds = value / (1 - value);
    return odds > 0 ? finite(std::log(odds)) : kNoValue;
  });
}

Result<Value> run_min_max(Call& call) {
  SeriesList list = call.take(0);
  for (Series& series : list) {
    if (Status s = call.work(series.values.size()); !s) return s.error();
    series.rename("minMax(" + series.name + ")");
    const double least = Summary{Summary::Kind::kMin}.of(series.values);
    const double most = Summary{Summary::Kind::kMax}.of(series.values);
    for (double& value : series.values) {
      if (!is_none(value)) value = most == least ? 0 : (value - least) / (most - least);
    }
  }
  return Value(std::move(list));
}

struct Bounds {
  std::optional<double> most;
  std::optional<double> least;
};

// The increases of a counter that may be reset, or wrap at its greatest value.
std::vector<double> increases(const std::vector<double>& from, const Bounds& bounds) {
  std::vector<double> values(from.size(), kNoValue);
  double previous = kNoValue;
  for (size_t i = 0; i < from.size(); ++i) {
    const double value = from[i];
    if ((bounds.most && value > *bounds.most) || (bounds.least && value < *bounds.least)) {
      previous = kNoValue;
      continue;
    }
    if (value >= previous) {
      values[i] = value - previous;
    } else if (value < previous) {
      if (bounds.most) {
        values[i] = *bounds.most + 1 + value - previous - bounds.least.value_or(0);
      } else if (bounds.least) {
        values[i] = value - *bounds.least;
      }
    }
    previous = value;
  }
  return values;
}

Result<Value> run_non_negative_derivative(Call& call) {
  const Bounds bounds{call.optional_number(1), call.optional_number(2)};
  return rebuilt(call, {.name = "nonNegativeDerivative(", .tag = "nonNegativeDerivative"},
                 [&](const Series& series) { return increases(series.values, bounds); });
}

Result<Value> run_per_second(Call& call) {
  const Bounds bounds{call.optional_number(1), call.optional_number(2)};
  return rebuilt(call, {.name = "perSecond(", .tag = "perSecond"}, [&](const Series& series) {
    std::vector<double> values = increases(series.values, bounds);
    for (double& value : values) value = rounded(value / static_cast<double>(series.step_s), 6);
    return values;
  });
}

Result<Value> run_offset(Call& call) {
  const double constant = call.number(1);
  return mapped(call,
                {.name = "offset(",
                 .after = "," + general_text(constant) + ")",
                 .tag = "offset",
                 .tag_value = float_text(constant)},
                [&](double value) { return value + constant; });
}

Result<Value> run_offset_to_zero(Call& call) {
  return rebuilt(call, {.name = "offsetToZero("}, [](Series& series) {
    const double least = Summary{Summary::Kind::kMin}.of(series.values);
    set_tag(series, "offsetToZero", float_text(least));
    std::vector<double> values = series.values;
    for (double& value : values) value -= least;
    return values;
  });
}

Result<Value> run_pow(Call& call) {
  const double factor = call.number(1);
  return mapped(call,
                {.name = "pow(",
                 .after = "," + general_text(factor) + ")",
                 .tag = "pow",
                 .tag_value = float_text(factor)},
                [&](double value) { return is_none(value) ? kNoValue : finite(std::pow(value, factor)); });
}

Result<Value> run_round(Call& call) {
  const bool has_precision = call.has(1);
  const int64_t precision = has_precision ? call.integer(1) : 0;
  const std::string digits = number_text(static_cast<double>(precision));
  return mapped(call,
                {.name = "round(",
                 .after = has_precision ? "," + digits + ")" : ")",
                 .tag = "round",
                 .tag_value = digits},
                [&](double value) { return rounded(value, precision); });
}

Result<Value> run_scale(Call& call) {
  const double factor = call.number(1);
  return mapped(call,
                {.name = "scale(",
                 .after = "," + general_text(factor) + ")",
                 .tag = "scale",
                 .tag_value = float_text(factor)},
                [&](double value) { return value * factor; });
}

Result<Value> run_scale_to_seconds(Call& call) {
  const double seconds = call.number(1);
  return rebuilt(call,
                 {.name = "scaleToSeconds(",
                  .after = "," + number_text(std::trunc(seconds)) + ")",
                  .tag = "scaleToSeconds",
                  .tag_value = float_text(seconds)},
                 [&](const Series& series) {
                   std::vector<double> values = series.values;
                   for (double& value : values)
                     value = rounded(value * (seconds / static_cast<double>(series.step_s)), 6);
                   return values;
                 });
}

Result<Value> run_sigmoid(Call& call) {
  return mapped(call, {.name = "sigmoid(", .tag = "sigmoid", .tag_value = "sigmoid"},
                [](double value) { return is_none(value) ? kNoValue : 1 / (1 + std::exp(-value)); });
}

Result<Value> run_square_root(Call& call) {
  return mapped(call, {.name = "squareRoot(", .tag = "squareRoot"},
                [](double value) { return value < 0 ? kNoValue : std::sqrt(value); });
}

}  // namespace

std::span<const Function> transform_functions() {
  static const Function kFunctions[] = {
      {"absolute", "Transform", "seriesList!", "The values without their signs.", run_absolute},
      {"add", "Transform", "seriesList! constant:float!", "Adds a constant to each value.", run_add,
       Passing::kOffset},
      {"delay", "Transform", "seriesList! steps:integer!", "Moves the values by a number of steps.",
       run_delay},
      {"derivative", "Transform", "seriesList!", "The difference of each value from the one before.",
       run_derivative},
      {"exp", "Transform", "seriesList!", "e to the power of each value.", run_exp},
      {"integral", "Transform", "seriesList!", "The sum of all values up to each one.", run_integral},
      {"integralByInterval", "Transform", "seriesList! intervalUnit:interval!",
       "The sum of the values since the begin of each interval, which count from `from`.",
       run_integral_by_interval},
      {"invert", "Transform", "seriesList!", "1 divided by each value.", run_invert},
      {"isNonNull", "Combine", "seriesList!", "1 where there is a value, 0 elsewhere.", run_is_non_null},
      {"log", "Transform", "seriesList! base:integer=10", "The logarithm of each value.", run_log},
      {"logit", "Transform", "seriesList!", "log(x / (1 - x)) of each value.", run_logit},
      {"minMax", "Transform", "seriesList!", "Scales the values to the range from 0 to 1.", run_min_max},
      {"nonNegativeDerivative", "Transform", "seriesList! maxValue:float minValue:float",
       "The increase of a counter since the value before; none where it was reset, unless it is known where "
       "it "
       "begins or wraps.",
       run_non_negative_derivative},
      {"offset", "Transform", "seriesList! factor:float!", "Adds a constant to each value.", run_offset,
       Passing::kOffset},
      {"offsetToZero", "Transform", "seriesList!", "Moves each series so that its least value is 0.",
       run_offset_to_zero},
      {"perSecond", "Transform", "seriesList! maxValue:float minValue:float",
       "nonNegativeDerivative() divided by the step in seconds.", run_per_second},
      {"pow", "Transform", "seriesList! factor:float!", "Each value to the power of a constant.", run_pow},
      {"round", "Transform", "seriesList! precision:integer", "Rounds to so many decimals.", run_round},
      {"scale", "Transform", "seriesList! factor:float!", "Multiplies each value by a constant.", run_scale,
       Passing::kFactor},
      {"scaleToSeconds", "Transform", "seriesList! seconds:float!",
       "Turns values per step into values per so many seconds.", run_scale_to_seconds},
      {"sigmoid", "Transform", "seriesList!", "1 / (1 + exp(-x)) of each value.", run_sigmoid},
      {"squareRoot", "Transform", "seriesList!", "The square root of each value.", run_square_root},
  };
  return kFunctions;
}

}  // namespace statmill::graphite
