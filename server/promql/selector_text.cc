#include "server/promql/selector_text.h"

#include <string>
#include <utility>
#include <variant>

#include "base/glob.h"
#include "proto/canonical_name.h"
#include "server/promql/compile.h"
#include "server/promql/parser.h"
#include "server/query/labels.h"

namespace statmill {
namespace {

Error no_selector(std::string what) { return {ErrorCode::kInvalid, std::move(what)}; }

Result<std::vector<LabelMatcher>> parse_selector(std::string_view text) {
  const auto tree = promql::parse_promql(text);
  if (!tree) return no_selector(tree.error().message);
  const auto* const selector = std::get_if<promql::Selector>(&tree->at(tree->root).expression);
  if (selector == nullptr) return no_selector("no plain selector");
  if (selector->shift.at != promql::At::kEvaluation || selector->shift.offset != Duration(0))
    return no_selector("a selector has no offset and no @ here");
  auto plan = promql::compile(*tree, {});
  if (!plan) return no_selector(plan.error().message);
  return std::get<plan::Leaf>(plan->nodes[plan->root]).matchers;
}

}  // namespace

Result<std::vector<LabelMatcher>> parse_selector_text(std::string_view text) {
  using Op = LabelMatcher::Op;
  if (text.empty()) return no_selector("empty");
  // Each selector that is not a bare path has a value, which is quoted.
  if (text.find_first_of("\"'`") != std::string_view::npos) return parse_selector(text);
  const std::string name = with_blanks_escaped(text);
  if (!Glob::is_pattern(name))
    return std::vector{LabelMatcher{Op::kEqual, std::string(kMetricName), std::string(text)}};
  const auto glob = Glob::parse(name);
  if (!glob) return glob.error();
  return std::vector{LabelMatcher{Op::kEqual, "__graphite__", name}};
}

}  // namespace statmill
