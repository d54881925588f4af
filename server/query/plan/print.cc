#include "server/query/plan/print.h"

#include <array>
#include <cstddef>
#include <string_view>

#include "base/text.h"

namespace statmill {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kMatchers = {"="sv, "!="sv, "=~"sv, "!~"sv};
constexpr std::array kMaps = {
    "negate"sv,       "abs"sv,         "ceil"sv,        "floor"sv,         "round"sv, "sqrt"sv,
    "exp"sv,          "ln"sv,          "log2"sv,        "log10"sv,         "sgn"sv,   "clamp"sv,
    "clamp_min"sv,    "clamp_max"sv,   "sin"sv,         "cos"sv,           "tan"sv,   "asin"sv,
    "acos"sv,         "atan"sv,        "sinh"sv,        "cosh"sv,          "tanh"sv,  "asinh"sv,
    "acosh"sv,        "atanh"sv,       "deg"sv,         "rad"sv,           "year"sv,  "month"sv,
    "day_of_month"sv, "day_of_week"sv, "day_of_year"sv, "days_in_month"sv, "hour"sv,  "minute"sv,
    "timestamp"sv};
static_assert(kMaps.size() == static_cast<size_t>(plan::MapFunction::kTimestamp) + 1);
constexpr std::array kGroups = {"sum"sv,   "avg"sv,    "min"sv,    "max"sv,      "count"sv,
                                "group"sv, "stddev"sv, "stdvar"sv, "quantile"sv, "count_values"sv};
constexpr std::array kRanks = {"topk"sv, "bottomk"sv, "limitk"sv};
constexpr std::array kHistograms = {"quantile"sv, "quantiles"sv, "fraction"sv, "count"sv, "sum"sv,
                                    "avg"sv,      "stddev"sv,    "stdvar"sv,   "min"sv,   "max"sv};
constexpr std::array kCardinalities = {""sv, " group_left"sv, " group_right"sv, ""sv};

template <class Names, class Value>
std::string_view name_in(const Names& names, Value value) {
  return names[static_cast<size_t>(value)];
}

std::string number_text(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

std::string seconds_text(int64_t ms) { return number_text(static_cast<double>(ms) / 1000) + "s"; }

std::string json_text(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string list_text(const std::vector<std::string>& texts) {
  std::string out = "(";
  for (const std::string& text : texts) out += (out.size() > 1 ? ", " : "") + text;
  return out + ")";
}

std::string grouping_text(const plan::Grouping& grouping) {
  return (grouping.is_without ? " without " : " by ") + list_text(grouping.labels);
}

std::string labels_text(const SeriesLabels& labels) {
  std::string out = "{";
  for (const auto& [name, value] : labels.all()) {
    out += (out.size() > 1 ? ", " : "") + name + "=" + json_text(value);
  }
  return out + "}";
}

std::string shift_text(int64_t offset_ms, const std::optional<int64_t>& at_ms) {
  std::string out;
  if (at_ms) out += " @ " + seconds_text(*at_ms);
  if (offset_ms != 0) out += " offset " + seconds_text(offset_ms);
  return out;
}

// The line of a node, without the nodes that it reads.
struct LineOf {
  std::string operator()(const plan::Number& node) const { return "number " + number_text(node.value); }
  std::string operator()(const plan::Time&) const { return "time"; }
  std::string operator()(const plan::ScalarOf&) const { return "scalar"; }
  std::string operator()(const plan::ScalarBinary& node) const {
    return "scalar " + std::string(plan::operator_text(node.op));
  }
  std::string operator()(const plan::Text& node) const { return "text " + json_text(node.value); }
  std::string operator()(const plan::VectorOf&) const { return "vector"; }
  std::string operator()(const plan::Leaf& node) const {
    std::string out = std::string(leaf_function_name(node.function)) + " {";
    for (const LabelMatcher& matcher : node.matchers) {
      if (out.back() != '{') out += ", ";
      out += matcher.label + std::string(name_in(kMatchers, matcher.op)) + json_text(matcher.value);
    }
    return out + "} [" + seconds_text(node.range_ms) + "]" + shift_text(node.offset_ms, node.at_ms);
  }
  std::string operator()(const plan::Subquery& node) const {
    return std::string(leaf_function_name(node.function)) + " of [" + seconds_text(node.range_ms) + ":" +
           seconds_text(node.step_ms) + "]" + shift_text(node.offset_ms, node.at_ms);
  }
  std::string operator()(const plan::Map& node) const {
    return "map " + std::string(name_in(kMaps, node.function));
  }
  std::string operator()(const plan::ScalarMap& node) const {
    return "map " + std::string(plan::operator_text(node.op)) + (node.returns_bool ? " bool" : "") +
           (node.is_scalar_left ? " scalar left" : "");
  }
  std::string operator()(const plan::Absent& node) const { return "absent " + labels_text(node.labels); }
  std::string operator()(const plan::Group& node) const {
    return "group " + std::string(name_in(kGroups, node.function)) + grouping_text(node.grouping) +
           (node.label.empty() ? "" : " " + json_text(node.label));
  }
  std::string operator()(const plan::Rank& node) const {
    return "rank " + std::string(name_in(kRanks, node.function)) + grouping_text(node.grouping);
  }
  std::string operator()(const plan::Join& node) const {
    std::string out =
        "join " + std::string(plan::operator_text(node.op)) + (node.returns_bool ? " bool" : "");
    out += (node.matching.is_on ? " on " : " ignoring ") + list_text(node.matching.labels);
    const std::string_view cardinality = name_in(kCardinalities, node.matching.cardinality);
    return cardinality.empty() ? out
                               : out + std::string(cardinality) + " " + list_text(node.matching.include);
  }
  std::string operator()(const plan::LabelReplace& node) const {
    return "label_replace " + json_text(node.destination) + " = " + json_text(node.replacement) + " where " +
           json_text(node.source) + " =~ " + json_text(node.regex);
  }
  std::string operator()(const plan::LabelJoin& node) const {
    return "label_join " + json_text(node.destination) + " = " + list_text(node.sources) + " with " +
           json_text(node.separator);
  }
  std::string operator()(const plan::Sort& node) const {
    return std::string("sort") + (node.is_by_labels ? " by " + list_text(node.labels) : "") +
           (node.is_descending ? " descending" : "");
  }
  std::string operator()(const plan::HistogramMap& node) const {
    return "histogram " + std::string(name_in(kHistograms, node.function)) +
           (node.label.empty() ? "" : " " + json_text(node.label));
  }
  std::string operator()(const plan::Unique& node) const {
    return node.refuses_all ? "unique series" : "unique values";
  }
};

void print_node(const plan::Plan& plan, plan::NodeIndex index, size_t depth, std::string& out) {
  const plan::Node& node = plan.nodes[index];
  out.append(2 * depth, ' ').append(std::visit(LineOf{}, node)).push_back('\n');
  for (const plan::NodeIndex child : plan::children(node)) print_node(plan, child, depth + 1, out);
}

}  // namespace

std::string print_plan(const plan::Plan& plan) {
  std::string out;
  print_node(plan, plan.root, 0, out);
  return out;
}

}  // namespace statmill
