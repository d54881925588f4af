#include "server/query/plan/nodes.h"

#include <array>
#include <cstddef>

namespace statmill::plan {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kOperators = {"+"sv,  "-"sv, "*"sv,  "/"sv, "%"sv,  "^"sv,   "atan2"sv, "=="sv,
                                   "!="sv, "<"sv, "<="sv, ">"sv, ">="sv, "and"sv, "or"sv,    "unless"sv};
static_assert(kOperators.size() == static_cast<size_t>(Operator::kUnless) + 1);

using Children = std::vector<NodeIndex>;

struct ChildrenOf {
  Children operator()(const Number&) const { return {}; }
  Children operator()(const Time&) const { return {}; }
  Children operator()(const Text&) const { return {}; }
  Children operator()(const ScalarBinary& node) const { return {node.left, node.right}; }
  Children operator()(const VectorOf& node) const { return {node.scalar}; }
  Children operator()(const Leaf& node) const { return node.parameters; }
  Children operator()(const Subquery& node) const { return and_parameters(node); }
  Children operator()(const Map& node) const { return and_parameters(node); }
  Children operator()(const HistogramMap& node) const { return and_parameters(node); }
  Children operator()(const ScalarMap& node) const {
    return node.is_scalar_left ? Children{node.scalar, node.child} : Children{node.child, node.scalar};
  }
  Children operator()(const Group& node) const {
    return node.parameter == kNoNode ? Children{node.child} : Children{node.child, node.parameter};
  }
  Children operator()(const Rank& node) const { return {node.child, node.count}; }
  Children operator()(const Join& node) const { return {node.left, node.right}; }
  template <class WithChild>
  Children operator()(const WithChild& node) const {
    return {node.child};
  }

 private:
  template <class WithParameters>
  static Children and_parameters(const WithParameters& node) {
    Children all{node.child};
    all.insert(all.end(), node.parameters.begin(), node.parameters.end());
    return all;
  }
};

}  // namespace

std::string_view operator_text(Operator op) { return kOperators[static_cast<size_t>(op)]; }

std::vector<NodeIndex> children(const Node& node) { return std::visit(ChildrenOf{}, node); }

}  // namespace statmill::plan
