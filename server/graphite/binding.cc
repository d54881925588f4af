#include "server/graphite/binding.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/number_text.h"
#include "base/text.h"
#include "server/graphite/attime.h"
#include "server/http/ignoring_case.h"

namespace statmill::graphite {
namespace {

std::optional<double> parse_as_double(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
  return is_whole ? std::optional(value) : std::nullopt;
}

std::optional<double> number_of(const Value& value) {
  if (const auto* number = std::get_if<Number>(&value)) return number->value;
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && equals_ignoring_case(*text, "inf")) return std::numeric_limits<double>::infinity();
  return text == nullptr ? std::nullopt : parse_as_double(*text);
}

std::optional<Value> as_float(const Value& value) {
  const auto number = number_of(value);
  return number ? std::optional<Value>(Number{*number}) : std::nullopt;
}

// An integer of at most 53 bits. A number with a point is none, even if it is whole.
std::optional<Value> as_integer(const Value& value) {
  constexpr double kMax = 9'007'199'254'740'992;
  const auto* number = std::get_if<Number>(&value);
  if (number != nullptr && !number->is_integer) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && !parse_as<int64_t>(*text)) return std::nullopt;
  const auto found = number_of(value);
  if (!found || std::abs(*found) > kMax) return std::nullopt;
  return Number{*found, true};
}

std::optional<Value> as_boolean(const Value& value) {
  if (std::holds_alternative<bool>(value)) return value;
  if (const auto* number = std::get_if<Number>(&value)) {
    if (number->value != 0 && number->value != 1) return std::nullopt;
    return number->value == 1;
  }
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::nullopt;
  if (equals_ignoring_case(*text, "true")) return true;
  if (equals_ignoring_case(*text, "false")) return false;
  return std::nullopt;
}

std::optional<Value> as_text(const Value& value) {
  if (std::holds_alternative<std::string>(value)) return value;
  if (const auto* number = std::get_if<Number>(&value)) return number_text(number->value);
  return std::nullopt;
}

// Returns the value as the type has it; nullopt if it is none of that type.
std::optional<Value> converted(ParameterType type, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  switch (type) {
    case ParameterType::kAny:
      return std::holds_alternative<SeriesLists>(value) ? std::nullopt : std::optional(value);
    case ParameterType::kBoolean:
      return as_boolean(value);
    case ParameterType::kFloat:
      return as_float(value);
    case ParameterType::kInteger:
    case ParameterType::kNode:
      return as_integer(value);
    case ParameterType::kIntOrInf: {
      const auto number = number_of(value);
      return number && std::isinf(*number) && *number > 0 ? std::optional<Value>(Number{*number})
                                                          : as_integer(value);
    }
    case ParameterType::kIntOrInterval:
      if (text == nullptr || parse_as<int64_t>(*text)) return as_integer(value);
      [[fallthrough]];
    case ParameterType::kInterval:
      return text != nullptr && parse_time_offset(*text) ? std::optional(value) : std::nullopt;
    case ParameterType::kNodeOrTag:
      return text != nullptr ? std::optional(value) : as_integer(value);
    case ParameterType::kDate:
    case ParameterType::kString:
    case ParameterType::kTag:
      return as_text(value);
    case ParameterType::kAggFunc:
      return text != nullptr && parse_summary(*text) ? std::optional(value) : std::nullopt;
    case ParameterType::kAggOrSeriesFunc: {
      if (text == nullptr) return std::nullopt;
      const Function* function = find_function(*text);
      return parse_summary(*text) || (function != nullptr && function->combines) ? std::optional(value)
                                                                                 : std::nullopt;
    }
    case ParameterType::kSeriesList:
    case ParameterType::kSeriesLists:
      break;  // moved, not copied
  }
  return std::nullopt;
}

std::string described(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<Number>(&value)) return number_text(number->value);
  if (const auto* text = std::get_if<std::string>(&value))
    return "\"" + visible_text(text->substr(0, 100)) + "\"";
  if (std::holds_alternative<std::monostate>(value)) return "none";
  return std::holds_alternative<SeriesList>(value) ? "series" : "lists of series";
}

Value default_of(const FunctionParameter& parameter) {
  if (!parameter.value) return {};
  if (*parameter.value == "inf") return Number{std::numeric_limits<double>::infinity()};
  const Value text = std::string(*parameter.value);
  return converted(parameter.type, text).value_or(text);
}

Error bad_call(const Function& function, const std::string& what) {
  return {ErrorCode::kInvalid, std::string(function.name) + "(): " + what};
}

Result<Value> checked(const Function& function, const FunctionParameter& parameter, Value value) {
  const bool is_list =
      parameter.type == ParameterType::kSeriesList && std::holds_alternative<SeriesList>(value);
  const bool are_lists =
      parameter.type == ParameterType::kSeriesLists && std::holds_alternative<SeriesLists>(value);
  if (is_list || are_lists) return value;
  const bool is_function =
      parameter.type == ParameterType::kAggFunc || parameter.type == ParameterType::kAggOrSeriesFunc;
  const auto* text = std::get_if<std::string>(&value);
  if (is_function && function.passing == Passing::kMerge && text != nullptr && *text == kPoolName)
    return value;
  const bool may_be_none = !parameter.is_required && !parameter.is_repeated;
  if (std::holds_alternative<std::monostate>(value) && may_be_none) return default_of(parameter);
  if (auto fitting = converted(parameter.type, value)) return *std::move(fitting);
  return bad_call(function, "the parameter " + std::string(parameter.name) + " is of the type " +
                                std::string(parameter_type_name(parameter.type)) + ", not " +
                                described(value));
}

}  // namespace

Result<std::vector<Value>> bind_arguments(const Function& function, std::vector<NamedValue> arguments) {
  const std::vector<FunctionParameter> parameters = parameters_of(function.signature);
  std::vector<Value> out;
  std::vector<bool> is_given(parameters.size(), false);
  for (NamedValue& argument : arguments) {
    size_t at = out.size();
    if (argument.name.empty()) {
      if (at >= parameters.size() && (parameters.empty() || !parameters.back().is_repeated))
        return bad_call(function, "too many arguments: at most " + std::to_string(parameters.size()));
      at = std::min(at, parameters.size() - 1);
    } else {
      const auto found = std::ranges::find(parameters, argument.name, &FunctionParameter::name);
      if (found == parameters.end()) return bad_call(function, "no parameter is called " + argument.name);
      at = static_cast<size_t>(found - parameters.begin());
      if (is_given[at]) return bad_call(function, "the parameter " + argument.name + " is given twice");
    }
    is_given[at] = true;
    auto value = checked(function, parameters[at], std::move(argument.value));
    if (!value) return value.error();
    if (argument.name.empty()) {
      out.push_back(*std::move(value));
    } else {
      if (out.size() <= at) out.resize(at + 1);
      out[at] = *std::move(value);
    }
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (is_given[i]) continue;
    if (parameters[i].is_required)
      return bad_call(function, "the parameter " + std::string(parameters[i].name) + " is missing");
    if (parameters[i].is_repeated) continue;
    if (out.size() <= i) out.resize(i + 1);
    out[i] = default_of(parameters[i]);
  }
  return out;
}

}  // namespace statmill::graphite
