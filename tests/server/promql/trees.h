// Syntax trees for tests: with the matchers in one order, and random ones.
#pragma once

#include <algorithm>
#include <random>
#include <tuple>
#include <variant>

#include "server/promql/ast.h"

namespace statmill::promql {

// A parser keeps the order of a query's matchers; a printer sorts them.
inline SyntaxTree with_sorted_matchers(SyntaxTree tree) {
  const auto is_before = [](const Matcher& a, const Matcher& b) {
    return std::tie(a.label, a.op, a.value) < std::tie(b.label, b.op, b.value);
  };
  for (Node& node : tree.nodes) {
    auto* selector = std::get_if<Selector>(&node.expression);
    if (auto* range = std::get_if<RangeSelector>(&node.expression)) selector = &range->selector;
    if (selector != nullptr) std::sort(selector->matchers.begin(), selector->matchers.end(), is_before);
  }
  return tree;
}

// A tree as the parser could return it, with every kind of node, nested up to `depth` levels.
SyntaxTree random_tree(std::mt19937_64& random, int depth);

}  // namespace statmill::promql
