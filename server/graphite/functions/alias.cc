// Functions that change the names of series.
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "server/graphite/functions/common.h"

namespace statmill::graphite {
namespace {

Result<Value> run_alias(Call& call) {
  SeriesList list = call.take(0);
  for (Series& series : list) series.name = call.text(1);
  return Value(std::move(list));
}

Result<Value> run_alias_by_node(Call& call) {
  SeriesList list = call.take(0);
  for (Series& series : list) {
    if (Status s = call.work(64 + series.name.size()); !s) return s.error();
    series.name = key_of(series, call.rest(1));
  }
  return Value(std::move(list));
}

// The part of a name between its last opening parenthesis and its first closing one, cut to some nodes.
std::string part_of_name(std::string_view name, int64_t start, int64_t stop) {
  const size_t open = name.rfind('(');
  const size_t begin = open == std::string_view::npos ? 0 : open + 1;
  const size_t close = std::min(name.find(')'), name.size());
  const std::string_view clean = close > begin ? name.substr(begin, close - begin) : std::string_view();
  std::vector<std::string_view> nodes;
  for (size_t at = 0; at <= clean.size();) {
    const size_t end = std::min(clean.find('.', at), clean.size());
    nodes.push_back(clean.substr(at, end - at));
    at = end + 1;
  }
  const auto count = static_cast<int64_t>(nodes.size());
  const auto place = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + count : i, 0, count); };
  const int64_t last = stop == 0 ? count : place(stop);
  std::string out;
  for (int64_t i = place(start); i < last; ++i)
    out.append(i == place(start) ? "" : ".").append(nodes[static_cast<size_t>(i)]);
  return out.substr(0, out.find(','));
}

Result<Value> run_alias_by_metric(Call& call) {
  SeriesList list = call.take(0);
  for (Series& series : list) series.name = part_of_name(series.name, -1, 0);
  return Value(std::move(list));
}

Result<Value> run_substr(Call& call) {
  SeriesList list = call.take(0);
  for (Series& series : list) series.name = part_of_name(series.name, call.integer(1), call.integer(2));
  return Value(std::move(list));
}

Result<Value> run_alias_sub(Call& call) {
  const auto regex = compiled_regex(call, call.text(1));
  if (!regex) return regex.error();
  SeriesList list = call.take(0);
  for (Series& series : list) {
    if (Status s = call.work(64 + series.name.size()); !s) return s.error();
    auto name = replaced(call, **regex, series.name, call.text(2));
    if (!name) return name.error();
    series.name = *std::move(name);
  }
  return Value(std::move(list));
}

// Writes a number into a format of Python, which has one conversion: "Channel %d MHz", "%.2f".
Result<std::string> formatted(const Call& call, std::string_view format, double value) {
  std::string out;
  bool has_number = false;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    if (format.substr(i).starts_with("%%")) {
      out += '%';
      ++i;
      continue;
    }
    const size_t end = format.find_first_not_of("0123456789.", i + 1);
    if (has_number || end == std::string_view::npos || end - i > 5)
      return call.error("the new name has one conversion such as %d or %.2f");
    has_number = true;
    std::string conversion(format.substr(i, end - i));
    std::array<char, 512> text{};
    switch (format[end]) {
      case 'd':
      case 'i':
        out += number_text(std::trunc(value));
        break;
      case 's':
        out += float_text(value);
        break;
      case 'e':
      case 'f':
      case 'g':
        conversion += format[end];
        if (std::snprintf(text.data(), text.size(), conversion.c_str(), value) < 0)
          return call.error("the new name cannot be made");
        out += text.data();
        break;
      default:
        return call.error("the new name has one conversion such as %d or %.2f");
    }
    i = end;
  }
  if (!has_number) return call.error("the new name has no conversion such as %d or %.2f");
  return out;
}

Result<Value> run_alias_query(Call& call) {
  const auto regex = compiled_regex(call, call.text(1));
  if (!regex) return regex.error();
  SeriesList list = call.take(0);
  for (Series& series : list) {
    const auto target = replaced(call, **regex, series.name, call.text(2));
    if (!target) return target.error();
    const auto found = call.evaluate(*target);
    if (!found) return found.error();
    if (found->empty()) return call.error("no series are found by " + *target);
    const double last = Summary{Summary::Kind::kLast}.of(found->front().values);
    if (is_none(last)) return call.error("the series of " + *target + " has no value");
    auto name = formatted(call, call.text(3), last);
    if (!name) return name.error();
    series.name = *std::move(name);
  }
  return Value(std::move(list));
}

struct Unit {
  std::string_view prefix;
  double size = 1;
};
constexpr std::array<Unit, 5> kSi = {{{"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"K", 1e3}}};
constexpr std::array<Unit, 5> kBinary = {
    {{"Pi", 0x1p50}, {"Ti", 0x1p40}, {"Gi", 0x1p30}, {"Mi", 0x1p20}, {"Ki", 0x1p10}}};

// "1.50M", or "1.50 MB" with the unit B; `system`: si, binary, or anything else for no prefix.
std::string with_unit(double value, std::string_view system, std::string_view units = {}) {
  Unit unit;
  if (system == "si" || system == "binary") {
    for (const Unit& one : system == "si" ? kSi : kBinary) {
      if (std::abs(value) < one.size) continue;
      unit = one;
      break;
    }
  }
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value / unit.size);
  return text.data() + std::string(units.empty() ? "" : " ") + std::string(unit.prefix) + std::string(units);
}

// Puts blanks after a text.
std::string padded(std::string text, size_t size) {
  if (text.size() < size) text.append(size - text.size(), ' ');
  return text;
}

Result<Value> run_legend_value(Call& call) {
  std::vector<std::string> types;
  for (size_t i = 1; i < call.size(); ++i) types.push_back(call.text(i));
  std::string system;
  if (!types.empty() && (types.back() == "si" || types.back() == "binary")) {
    system = types.back();
    types.pop_back();
  }
  SeriesList list = call.take(0);
  for (Series& series : list) {
    for (const std::string& type : types) {
      if (Status s = call.work(series.values.size()); !s) return s.error();
      const auto summary = parse_summary(type);
      const double value = summary ? summary->of(series.values) : kNoValue;
      if (system.empty()) {
        series.name.append(" (").append(type).append(": ");
        series.name.append(summary ? number_text(value) : "(?)").append(")");
      } else {
        const std::string text = !summary ? "(?)" : is_none(value) ? "None" : with_unit(value, system);
        series.name = padded(std::move(series.name), 20) + padded(type, 5) + padded(text, 10);
      }
    }
  }
  return Value(std::move(list));
}

Result<Value> run_cacti_style(Call& call) {
  const std::string system = call.has(1) ? call.text(1) : "";
  const std::string units = call.has(2) ? call.text(2) : "";
  constexpr std::array kKinds = {Summary::Kind::kLast, Summary::Kind::kMax, Summary::Kind::kMin};
  constexpr std::array<std::string_view, 3> kLabels = {" Current:", " Max:", " Min:"};
  SeriesList list = call.take(0);
  std::array<size_t, 3> sizes{};
  std::vector<std::array<std::string, 3>> texts;
  size_t name_size = 0;
  for (const Series& series : list) {
    if (Status s = call.work(3 * series.values.size()); !s) return s.error();
    name_size = std::max(name_size, series.name.size());
    std::array<std::string, 3>& text = texts.emplace_back();
    for (size_t k = 0; k < kKinds.size(); ++k) {
      const double value = Summary{kKinds[k]}.of(series.values);
      text[k] = is_none(value) ? "nan" : with_unit(value, system, units);
      sizes[k] = std::max(sizes[k], text[k].size() + 3);
    }
  }
  for (size_t i = 0; i < list.size(); ++i) {
    std::string name = padded(list[i].name, name_size);
    for (size_t k = 0; k < kLabels.size(); ++k) name.append(kLabels[k]).append(padded(texts[i][k], sizes[k]));
    list[i].name = name + " ";
  }
  return Value(std::move(list));
}

}  // namespace

std::span<const Function> alias_functions() {
  static const Function kFunctions[] = {
      {"alias", "Alias", "seriesList! newName:string!", "Names all series so.", run_alias, Passing::kAll},
      {"aliasByMetric", "Alias", "seriesList!", "Names each series by the last node of its path.",
       run_alias_by_metric, Passing::kAll},
      {"aliasByNode", "Alias", "seriesList! nodes:nodeOrTag!*",
       "Names each series by nodes of its path or values of its tags.", run_alias_by_node, Passing::kAll},
      {"aliasByTags", "Alias", "seriesList! tags:nodeOrTag!*",
       "Names each series by values of its tags or nodes of its path.", run_alias_by_node, Passing::kAll},
      {"aliasQuery", "Alias", "seriesList! search:string! replace:string! newName:string!",
       "Names each series by the last value of another series, whose target is made of the name.",
       run_alias_query, Passing::kAll},
      {"aliasSub", "Alias", "seriesList! search:string! replace:string!",
       "Replaces what a regular expression matches in the names.", run_alias_sub, Passing::kAll},
      {"cactiStyle", "Special", "seriesList! system:string units:string",
       "Adds the last, the greatest and the least value to each name.", run_cacti_style},
      {"legendValue", "Alias", "seriesList! valuesTypes:string*",
       "Adds summaries of the values to each name.", run_legend_value},
      {"substr", "Special", "seriesList! start:node=0 stop:node=0",
       "Names each series by the nodes of its path from `start` to `stop`.", run_substr, Passing::kAll},
  };
  return kFunctions;
}

}  // namespace statmill::graphite
