#include "server/graphite/function.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/text.h"
#include "server/graphite/functions/common.h"

namespace statmill::graphite {
namespace {

constexpr std::array<std::string_view, 16> kTypeNames = {
    "aggFunc",  "aggOrSeriesFunc", "any",  "boolean",   "date",       "float",       "integer", "interval",
    "intOrInf", "intOrInterval",   "node", "nodeOrTag", "seriesList", "seriesLists", "string",  "tag"};

ParameterType type_of(std::string_view name) {
  const auto at = std::ranges::find(kTypeNames, name);
  SM_CHECK(at != kTypeNames.end());
  return static_cast<ParameterType>(at - kTypeNames.begin());
}

FunctionParameter parameter_of(std::string_view text) {
  FunctionParameter out;
  if (const size_t value = text.find('='); value != std::string_view::npos) {
    out.value = text.substr(value + 1);
    text = text.substr(0, value);
  }
  if (text.ends_with('*')) {
    out.is_repeated = true;
    text.remove_suffix(1);
  }
  if (text.ends_with('!')) {
    out.is_required = true;
    text.remove_suffix(1);
  }
  const size_t type = text.find(':');
  out.name = text.substr(0, type);
  out.type = type_of(type == std::string_view::npos ? text : text.substr(type + 1));
  return out;
}

std::vector<Function> all_functions() {
  std::vector<Function> out;
  for (const auto group : {alias_functions(), calculate_functions(), combine_functions(), filter_functions(),
                           gap_functions(), graph_functions(), list_functions(), smooth_functions(),
                           sort_functions(), special_functions(), time_functions(), transform_functions()})
    out.insert(out.end(), group.begin(), group.end());
  std::ranges::sort(out, {}, &Function::name);
  return out;
}

}  // namespace

std::string_view parameter_type_name(ParameterType type) { return kTypeNames[static_cast<size_t>(type)]; }

std::vector<FunctionParameter> parameters_of(std::string_view signature) {
  std::vector<FunctionParameter> out;
  for (const std::string_view text : split(signature, ' ')) out.push_back(parameter_of(text));
  return out;
}

std::span<const Function> functions() {
  static const std::vector<Function> kAll = all_functions();
  return kAll;
}

const Function* find_function(std::string_view name) {
  const auto all = functions();
  const auto at = std::ranges::lower_bound(all, name, {}, &Function::name);
  return at == all.end() || at->name != name ? nullptr : &*at;
}

}  // namespace statmill::graphite
