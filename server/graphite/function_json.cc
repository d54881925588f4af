#include "server/graphite/function_json.h"

#include <array>
#include <map>
#include <span>
#include <vector>

#include "server/json.h"

namespace statmill::graphite {
namespace {

constexpr std::array<std::string_view, 6> kOperators = {"!=", "<", "<=", "=", ">", ">="};
constexpr std::array<std::string_view, 7> kAlignments = {"days",    "hours", "minutes", "months",
                                                         "seconds", "weeks", "years"};
constexpr std::array<std::string_view, 8> kIntervals = {"1min", "5min", "10min", "30min",
                                                        "1h",   "1d",   "7d",    "30d"};

// The values that a parameter has; empty: any.
std::vector<std::string_view> options_of(const Function& function, const FunctionParameter& parameter) {
  const auto list = [](std::span<const std::string_view> names) {
    return std::vector<std::string_view>(names.begin(), names.end());
  };
  if (parameter.name == "consolidationFunc") return list(consolidation_names());
  if (parameter.name == "operator") return list(kOperators);
  if (parameter.name == "alignTo") return list(kAlignments);
  if (parameter.type != ParameterType::kAggFunc && parameter.type != ParameterType::kAggOrSeriesFunc)
    return {};
  std::vector<std::string_view> out = list(summary_names());
  if (function.passing == Passing::kMerge) out.push_back(kPoolName);
  if (parameter.type == ParameterType::kAggFunc) return out;
  for (const Function& other : functions()) {
    if (other.combines) out.push_back(other.name);
  }
  return out;
}

// A default is JSON, or a text.
void append_default(std::string& out, const FunctionParameter& parameter) {
  const std::string_view value = *parameter.value;
  if (value == "inf") {
    out += "1e9999";
  } else if (parameter.type == ParameterType::kBoolean || parameter.type == ParameterType::kFloat ||
             parameter.type == ParameterType::kInteger || parameter.type == ParameterType::kNode) {
    out += value;
  } else {
    append_json_string(out, value);
  }
}

void append_texts(std::string& out, std::span<const std::string_view> texts) {
  JsonArray array(out);
  for (const std::string_view text : texts) append_json_string(array.element(), text);
}

void append_parameter(std::string& out, const Function& function, const FunctionParameter& parameter) {
  JsonObject object(out);
  object.text("name", parameter.name);
  object.text("type", parameter_type_name(parameter.type));
  if (parameter.is_required) object.key("required") += "true";
  if (parameter.value) append_default(object.key("default"), parameter);
  if (parameter.is_repeated) object.key("multiple") += "true";
  const auto options = options_of(function, parameter);
  if (!options.empty()) append_texts(object.key("options"), options);
  if (parameter.type == ParameterType::kInterval || parameter.type == ParameterType::kIntOrInterval)
    append_texts(object.key("suggestions"), kIntervals);
}

// "scale(seriesList, factor)".
std::string usage_of(const Function& function, std::span<const FunctionParameter> parameters) {
  std::string out = std::string(function.name) + "(";
  for (size_t i = 0; i < parameters.size(); ++i) {
    out.append(i > 0 ? ", " : "").append(parameters[i].is_repeated ? "*" : "").append(parameters[i].name);
    if (parameters[i].value) out.append("=").append(*parameters[i].value);
  }
  return out + ")";
}

void append_function(std::string& out, const Function& function) {
  const auto parameters = parameters_of(function.signature);
  JsonObject object(out);
  object.text("name", function.name);
  object.text("function", usage_of(function, parameters));
  object.text("description", function.description);
  object.text("module", "graphite.render.functions");
  object.text("group", function.group);
  JsonArray array(object.key("params"));
  for (const FunctionParameter& parameter : parameters)
    append_parameter(array.element(), function, parameter);
}

}  // namespace

std::string functions_json(const FunctionListOptions& options) {
  std::map<std::string_view, std::vector<const Function*>> groups;
  for (const Function& function : functions()) {
    if (options.group && *options.group != function.group) continue;
    groups[options.is_grouped ? function.group : ""].push_back(&function);
  }
  std::string out;
  const auto append_all = [&](std::string& to, const std::vector<const Function*>& all) {
    JsonObject object(to);
    for (const Function* function : all) append_function(object.key(function->name), *function);
  };
  if (options.is_grouped) {
    JsonObject object(out);
    for (const auto& [group, all] : groups) append_all(object.key(group), all);
  } else {
    append_all(out, groups[""]);
  }
  return out + "\n";
}

std::string function_json(const Function& function) {
  std::string out;
  append_function(out, function);
  return out + "\n";
}

}  // namespace statmill::graphite
