#include "server/promql/compile.h"

#include <algorithm>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "server/promql/plan_builder.h"
#include "server/promql/plan_functions.h"
#include "server/query/ops/relabel.h"

namespace statmill::promql {
namespace {

using plan::NodeIndex;

plan::Operator operator_of(BinaryOp op) { return static_cast<plan::Operator>(op); }
static_assert(static_cast<int>(plan::Operator::kUnless) == static_cast<int>(BinaryOp::kUnless));
static_assert(static_cast<int>(plan::Operator::kAtan2) == static_cast<int>(BinaryOp::kAtan2));
static_assert(static_cast<int>(plan::Cardinality::kManyToMany) == static_cast<int>(Cardinality::kManyToMany));

bool names_name(const std::vector<std::string>& labels) {
  return std::find(labels.begin(), labels.end(), kNameLabel) != labels.end();
}

// Recursion is as deep as the tree, which the parser limits. Errors are kept, and the rest of the
// plan is not used then.
class Compiler {
 public:
  Compiler(const SyntaxTree& tree, const CompileOptions& options) : tree_(tree), options_(options) {}

  Result<plan::Plan> compile() {
    const ValueType type = tree_.at(tree_.root).type;
    NodeIndex root = plan::kNoNode;
    if (type == ValueType::kScalar) {
      root = scalar(tree_.root);
    } else if (type == ValueType::kVector) {
      root = builder_.checked(vector(tree_.root));
    } else if (const auto* text = std::get_if<StringLiteral>(&expression(tree_.root))) {
      root = builder_.add(plan::Text{text->value});
    } else if (options_.takes_range) {
      root = builder_.checked(inside_range(expression(tree_.root)));
    } else {
      fail({ErrorCode::kInvalid, "a range vector cannot be the whole of a query"});
    }
    if (error_) return *error_;
    return builder_.finish(root);
  }

 private:
  const Expression& expression(NodeIndex index) const {
    const Expression* found = &tree_.at(index).expression;
    while (const auto* parentheses = std::get_if<Parentheses>(found)) {
      found = &tree_.at(parentheses->inner).expression;
    }
    return *found;
  }
  bool is_scalar(NodeIndex index) const { return tree_.at(index).type == ValueType::kScalar; }
  const std::string& text(NodeIndex index) const { return std::get<StringLiteral>(expression(index)).value; }

  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }
  void refuse(std::string_view name, std::string_view reason) {
    fail({ErrorCode::kUnavailable, std::string(name) + ": " + std::string(reason)});
  }

  // Scalars.

  NodeIndex number(double value) { return builder_.add(plan::Number{value}); }

  NodeIndex scalar(NodeIndex index) {
    const Expression& node = expression(index);
    if (const auto* literal = std::get_if<NumberLiteral>(&node)) return number(literal->value);
    if (const auto* unary = std::get_if<Unary>(&node)) {
      const NodeIndex operand = scalar(unary->operand);
      if (!unary->is_minus) return operand;
      return builder_.add(plan::ScalarBinary{plan::Operator::kMul, number(-1), operand});
    }
    if (const auto* binary = std::get_if<Binary>(&node)) {
      const NodeIndex left = scalar(binary->left);
      const NodeIndex right = scalar(binary->right);
      return builder_.add(plan::ScalarBinary{operator_of(binary->op), left, right});
    }
    const Call& call = std::get<Call>(node);
    if (call.function->name == "time") return builder_.add(plan::Time{});
    if (call.function->name == "pi") return number(std::numbers::pi);
    return builder_.add(plan::ScalarOf{builder_.checked(vector(call.arguments[0]))});
  }

  std::vector<NodeIndex> scalars(const Call& call, size_t first, size_t last) {
    std::vector<NodeIndex> nodes;
    for (size_t i = first; i < last; ++i) nodes.push_back(scalar(call.arguments[i]));
    return nodes;
  }

  // Vectors.

  Operand vector(NodeIndex index) {
    return std::visit([this](const auto& node) { return vector_of(node); }, expression(index));
  }

  // The vector, if only its presence matters.
  Operand presence(NodeIndex index) {
    if (const auto* selector = std::get_if<Selector>(&expression(index))) {
      return leaf(*selector, LeafFunction::kPresence, options_.lookback_ms, true);
    }
    return vector(index);
  }

  template <class NotAVector>
  Operand vector_of(const NotAVector&) {
    fail({ErrorCode::kInvalid, "not an instant vector"});  // the type check excludes it
    return {builder_.add(plan::Number{}), NameUse::kNone};
  }

  Operand vector_of(const Selector& selector) {
    return leaf(selector, LeafFunction::kInstant, options_.lookback_ms, true);
  }

  Operand inside_range(const Expression& range) {
    if (const auto* subquery = std::get_if<Subquery>(&range)) return vector(subquery->expression);
    Selector selector = std::get<RangeSelector>(range).selector;
    selector.shift = {};
    return vector_of(selector);
  }

  Operand leaf(const Selector& selector, LeafFunction function, int64_t range_ms, bool keeps_name,
               std::vector<NodeIndex> parameters = {}) {
    if (selector.edges == Edges::kSmoothed) {
      refuse("smoothed", "experimental, and the values between samples are not known");
    }
    plan::Leaf node{.matchers = matchers_of(selector),
                    .function = function,
                    .range_ms = range_ms,
                    .offset_ms = selector.shift.offset.count(),
                    .at_ms = at(selector.shift),
                    .parameters = std::move(parameters),
                    .keeps_name = keeps_name};
    NameUse names = NameUse::kDiffers;
    if (!selector.name.empty()) names = NameUse::kSame;
    for (const Matcher& matcher : selector.matchers) {
      if (matcher.op == MatchOp::kMatches || matcher.op == MatchOp::kNotMatches) {
        if (Status status = check_regex(matcher.value); !status) fail(status.error());
      }
      if (matcher.label == kNameLabel && matcher.op == MatchOp::kEqual) names = NameUse::kSame;
      builder_.note_label(matcher.label);
    }
    return {builder_.add(std::move(node)), names};
  }

  std::optional<int64_t> at(const TimeShift& shift) const {
    switch (shift.at) {
      case At::kEvaluation:
        break;
      case At::kTime:
        return shift.at_ms;
      case At::kStart:
        return options_.start_ms;
      case At::kEnd:
        return options_.end_ms;
    }
    return std::nullopt;
  }

  Operand vector_of(const Unary& unary) {
    Operand operand = vector(unary.operand);
    if (!unary.is_minus) return operand;
    operand.node = builder_.add(plan::Map{operand.node, plan::MapFunction::kNegate, {}});
    return PlanBuilder::after_dropping_names(operand, RepeatCheck::kSeries);
  }

  Operand vector_of(const Aggregation& aggregation) {
    const Aggregator& aggregator = *aggregation.aggregator;
    if (!aggregator.refusal.empty()) refuse(aggregator.name, aggregator.refusal);
    const plan::Grouping grouping{aggregation.is_without, aggregation.labels};
    for (const std::string& label : aggregation.labels) builder_.note_label(label);
    if (const auto rank = rank_function(aggregator.name)) {
      Operand operand = vector(aggregation.operand);
      operand.node = builder_.add(plan::Rank{operand.node, *rank, grouping, scalar(aggregation.parameter)});
      return operand;
    }
    const auto function = group_function(aggregator.name).value_or(plan::GroupFunction::kGroup);
    const bool counts = function == plan::GroupFunction::kCount || function == plan::GroupFunction::kGroup;
    plan::Group node{.child = builder_.checked_for_group(counts ? presence(aggregation.operand)
                                                                : vector(aggregation.operand)),
                     .function = function,
                     .grouping = grouping,
                     .parameter = plan::kNoNode,
                     .label = {}};
    if (function == plan::GroupFunction::kCountValues) {
      node.label = text(aggregation.parameter);
      if (node.label.empty()) refuse("count_values", "invalid label name \"\"");
    } else if (aggregation.parameter != kNoNode) {
      node.parameter = scalar(aggregation.parameter);
    }
    const bool has_name = !aggregation.is_without && names_name(aggregation.labels);
    return {builder_.add(std::move(node)), has_name ? NameUse::kDiffers : NameUse::kNone};
  }

  Operand vector_of(const Binary& binary) {
    if (is_scalar(binary.left) || is_scalar(binary.right)) return with_scalar(binary);
    const Matching& matching = *binary.matching;
    for (const std::string& label : matching.labels) builder_.note_label(label);
    for (const std::string& label : matching.include) builder_.note_label(label);
    const bool asks_presence = binary.op == BinaryOp::kAnd || binary.op == BinaryOp::kUnless;
    const Operand left = vector(binary.left);
    const Operand right = asks_presence ? presence(binary.right) : vector(binary.right);
    const NodeIndex node =
        builder_.add(plan::Join{.left = builder_.checked(left),
                                .right = builder_.checked(right),
                                .op = operator_of(binary.op),
                                .returns_bool = binary.returns_bool,
                                .matching = {static_cast<plan::Cardinality>(matching.cardinality),
                                             matching.is_on, matching.labels, matching.include}});
    if (asks_presence) return {node, left.names};
    if (binary.op == BinaryOp::kOr) {
      const bool has_names = left.names != NameUse::kNone || right.names != NameUse::kNone;
      return {node, has_names ? NameUse::kDiffers : NameUse::kNone};
    }
    const bool keeps_name = plan::is_comparison(operator_of(binary.op)) && !binary.returns_bool;
    const bool has_name = keeps_name || names_name(matching.include);
    return {node, has_name ? NameUse::kDiffers : NameUse::kNone};
  }

  Operand with_scalar(const Binary& binary) {
    const bool is_left = is_scalar(binary.left);
    Operand operand = vector(is_left ? binary.right : binary.left);
    const plan::Operator op = operator_of(binary.op);
    operand.node = builder_.add(plan::ScalarMap{.child = operand.node,
                                                .op = op,
                                                .scalar = scalar(is_left ? binary.left : binary.right),
                                                .is_scalar_left = is_left,
                                                .returns_bool = binary.returns_bool});
    if (plan::is_comparison(op) && !binary.returns_bool) return operand;
    return PlanBuilder::after_dropping_names(operand, RepeatCheck::kPoints);
  }

  Operand vector_of(const Call& call) {
    const Function& function = *call.function;
    const std::string_view name = function.name;
    if (function.uses.gauge == SlotUse::kRefused) {
      refuse(name, function.refusal);
      return {builder_.add(plan::Number{}), NameUse::kNone};
    }
    if (const auto range = range_function(name)) return range_call(call, *range);
    if (const auto map = map_function(name)) return map_call(call, *map);
    if (const auto date = date_function(name)) return date_call(call, *date);
    if (const auto histogram = histogram_function(name)) return histogram_call(call, *histogram);
    if (name == "vector") return {builder_.add(plan::VectorOf{scalar(call.arguments[0])}), NameUse::kNone};
    if (name == "absent") return absent_call(call);
    if (name == "timestamp") return timestamp_call(call);
    if (name.starts_with("sort")) return sort_call(call);
    return relabel_call(call);
  }

  Operand range_call(const Call& call, RangeFunction function) {
    const auto is_range = [this](NodeIndex argument) {
      return tree_.at(argument).type == ValueType::kMatrix;
    };
    const auto found = std::find_if(call.arguments.begin(), call.arguments.end(), is_range);
    std::vector<NodeIndex> parameters;
    for (const NodeIndex argument : call.arguments) {
      if (!is_range(argument)) parameters.push_back(scalar(argument));
    }
    const Expression& range = expression(*found);
    const bool is_absent = call.function->name == "absent_over_time";
    Operand operand;
    SeriesLabels labels;
    if (const auto* selector = std::get_if<RangeSelector>(&range)) {
      labels = absent_labels(selector->selector);
      operand = leaf(selector->selector, function.function, selector->range.count(), function.keeps_name,
                     std::move(parameters));
    } else {
      operand = subquery(std::get<Subquery>(range), function, std::move(parameters));
    }
    if (is_absent) return {builder_.add(plan::Absent{operand.node, std::move(labels)}), NameUse::kNone};
    if (function.keeps_name) return operand;
    return PlanBuilder::after_dropping_names(operand, RepeatCheck::kSeries);
  }

  Operand subquery(const Subquery& subquery, RangeFunction function, std::vector<NodeIndex> parameters) {
    if (function.function == LeafFunction::kBuckets) {
      refuse("buckets_over_time", "needs a selector, since values of an expression are no samples");
    }
    const int64_t step_ms = subquery.step.count();
    const Operand input = vector(subquery.expression);
    Operand operand{builder_.checked(input), input.names};
    operand.node = builder_.add(plan::Subquery{.child = operand.node,
                                               .function = function.function,
                                               .range_ms = subquery.range.count(),
                                               .step_ms = step_ms > 0 ? step_ms : kDefaultSubqueryStepMs,
                                               .offset_ms = subquery.shift.offset.count(),
                                               .at_ms = at(subquery.shift),
                                               .parameters = std::move(parameters),
                                               .keeps_name = function.keeps_name});
    return operand;
  }

  Operand map_call(const Call& call, plan::MapFunction function) {
    Operand operand = vector(call.arguments[0]);
    operand.node = builder_.add(plan::Map{operand.node, function, scalars(call, 1, call.arguments.size())});
    return PlanBuilder::after_dropping_names(operand, RepeatCheck::kPoints);
  }

  Operand date_call(const Call& call, plan::MapFunction function) {
    if (!call.arguments.empty()) return map_call(call, function);
    const NodeIndex time = builder_.add(plan::VectorOf{builder_.add(plan::Time{})});
    return {builder_.add(plan::Map{time, function, {}}), NameUse::kNone};
  }

  Operand histogram_call(const Call& call, plan::HistogramFunction function) {
    plan::HistogramMap node{.child = plan::kNoNode, .function = function, .parameters = {}, .label = {}};
    if (function == plan::HistogramFunction::kQuantiles) {
      node.child = builder_.checked(vector(call.arguments[0]));
      node.label = text(call.arguments[1]);
      node.parameters = scalars(call, 2, call.arguments.size());
    } else {
      node.child = builder_.checked(vector(call.arguments.back()));
      node.parameters = scalars(call, 0, call.arguments.size() - 1);
    }
    return {builder_.add(std::move(node)), NameUse::kNone};
  }

  Operand absent_call(const Call& call) {
    SeriesLabels labels;
    if (const auto* selector = std::get_if<Selector>(&expression(call.arguments[0]))) {
      labels = absent_labels(*selector);
    }
    return {builder_.add(plan::Absent{presence(call.arguments[0]).node, std::move(labels)}), NameUse::kNone};
  }

  Operand timestamp_call(const Call& call) {
    if (const auto* selector = std::get_if<Selector>(&expression(call.arguments[0]))) {
      return PlanBuilder::after_dropping_names(
          leaf(*selector, LeafFunction::kTimestamp, options_.lookback_ms, false), RepeatCheck::kPoints);
    }
    return map_call(call, plan::MapFunction::kTimestamp);
  }

  Operand sort_call(const Call& call) {
    const Operand input = vector(call.arguments[0]);
    Operand operand{builder_.checked(input), input.names};
    plan::Sort node{operand.node, call.function->name.ends_with("desc"),
                    call.function->name.starts_with("sort_by_label"), texts(call, 1)};
    for (const std::string& label : node.labels) builder_.note_label(label);
    operand.node = builder_.add(std::move(node));
    return operand;
  }

  Operand relabel_call(const Call& call) {
    const Operand input = vector(call.arguments[0]);
    Operand operand{builder_.checked(input), input.names};
    const std::string& destination = text(call.arguments[1]);
    if (destination.empty()) {
      refuse(call.function->name,
             "invalid destination label name in " + std::string(call.function->name) + "()");
    }
    if (call.function->name == "label_replace") {
      plan::LabelReplace node{operand.node, destination, text(call.arguments[2]), text(call.arguments[3]),
                              text(call.arguments[4])};
      builder_.note_label(node.source);
      operand.node = builder_.add(std::move(node));
    } else {
      plan::LabelJoin node{operand.node, destination, text(call.arguments[2]), texts(call, 3)};
      for (const std::string& label : node.sources) builder_.note_label(label);
      operand.node = builder_.add(std::move(node));
    }
    operand.node = builder_.unique(operand.node);
    if (destination == kNameLabel) operand.names = NameUse::kDiffers;
    return operand;
  }

  std::vector<std::string> texts(const Call& call, size_t first) const {
    std::vector<std::string> all;
    for (size_t i = first; i < call.arguments.size(); ++i) all.push_back(text(call.arguments[i]));
    return all;
  }

  const SyntaxTree& tree_;
  const CompileOptions& options_;
  PlanBuilder builder_;
  std::optional<Error> error_;
};

}  // namespace

Result<plan::Plan> compile(const SyntaxTree& tree, const CompileOptions& options) {
  return Compiler(tree, options).compile();
}

}  // namespace statmill::promql
