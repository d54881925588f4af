#include "server/promql/plan_builder.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/number_text.h"

namespace statmill::promql {

SeriesLabels absent_labels(const Selector& selector) {
  SeriesLabels labels;
  std::vector<std::string> known;
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.label == kNameLabel) continue;
    const bool is_new = std::find(known.begin(), known.end(), matcher.label) == known.end();
    if (matcher.op == MatchOp::kEqual && is_new) {
      labels.set(matcher.label, matcher.value);
      known.push_back(matcher.label);
    } else {
      labels.remove(matcher.label);
    }
  }
  return labels;
}

plan::NodeIndex PlanBuilder::add(plan::Node node) {
  auto& nodes = plan_.nodes;
  if (const auto* leaf = std::get_if<plan::Leaf>(&node)) {
    const auto found = std::find_if(nodes.begin(), nodes.end(), [leaf](const plan::Node& other) {
      const auto* other_leaf = std::get_if<plan::Leaf>(&other);
      return other_leaf != nullptr && *other_leaf == *leaf;
    });
    if (found != nodes.end()) return static_cast<plan::NodeIndex>(found - nodes.begin());
  }
  nodes.push_back(std::move(node));
  return static_cast<plan::NodeIndex>(nodes.size() - 1);
}

Operand PlanBuilder::after_dropping_names(Operand operand, RepeatCheck check) {
  if (operand.names == NameUse::kDiffers) operand.check = std::max(operand.check, check);
  operand.names = NameUse::kNone;
  return operand;
}

plan::NodeIndex PlanBuilder::checked(Operand operand) {
  if (operand.check == RepeatCheck::kNone) return operand.node;
  return unique(operand.node, operand.check == RepeatCheck::kSeries);
}

plan::NodeIndex PlanBuilder::checked_for_group(Operand operand) {
  return uses_paths_ ? operand.node : checked(operand);
}

plan::NodeIndex PlanBuilder::unique(plan::NodeIndex child, bool refuses_all) {
  return add(plan::Unique{child, refuses_all});
}

void PlanBuilder::note_label(std::string_view label) {
  if (label == "__graphite__") uses_paths_ = true;
  constexpr std::string_view kHead = "__n0";
  constexpr std::string_view kTail = "__";
  constexpr uint8_t kPartMax = 31;
  if (label.size() != 8 || !label.starts_with(kHead) || !label.ends_with(kTail)) return;
  const std::optional<uint8_t> part = parse_as<uint8_t>(label.substr(kHead.size(), 2));
  if (!part || *part > kPartMax) return;
  uses_paths_ = true;
  auto& parts = plan_.path_parts;
  if (std::find(parts.begin(), parts.end(), *part) == parts.end()) parts.push_back(*part);
}

plan::Plan PlanBuilder::finish(plan::NodeIndex root) {
  plan_.root = root;
  return std::move(plan_);
}

static_assert(static_cast<int>(LabelMatcher::Op::kMatchesNot) == static_cast<int>(MatchOp::kNotMatches));
std::vector<LabelMatcher> matchers_of(const Selector& selector) {
  std::vector<LabelMatcher> out;
  if (!selector.name.empty())
    out.push_back({LabelMatcher::Op::kEqual, std::string(kNameLabel), selector.name});
  for (const Matcher& matcher : selector.matchers)
    out.push_back({static_cast<LabelMatcher::Op>(matcher.op), matcher.label, matcher.value});
  return out;
}

}  // namespace statmill::promql
