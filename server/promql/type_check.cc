#include "server/promql/type_check.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "server/promql/binary_ops.h"
#include "server/promql/literals.h"
#include "server/promql/regex_syntax.h"

namespace statmill::promql {
namespace {

bool is_number_or_vector(ValueType type) { return type == ValueType::kScalar || type == ValueType::kVector; }

bool selects_missing_label(const Matcher& matcher) {
  switch (matcher.op) {
    case MatchOp::kEqual:
      return matcher.value.empty();
    case MatchOp::kNotEqual:
      return !matcher.value.empty();
    case MatchOp::kMatches:
    case MatchOp::kNotMatches:
      break;
  }
  const Result<bool> is_empty = matches_empty(matcher.value);
  return is_empty && *is_empty == (matcher.op == MatchOp::kMatches);
}

// Visits the nodes in the order of Prometheus, because only the first error is reported. Recursion is as deep
// as the tree, which the parser limits.
class TypeCheck {
 public:
  explicit TypeCheck(SyntaxTree& tree) : tree_(tree) {}

  ValueType check(NodeIndex index) {
    const auto visit = [this, index](auto& expression) { return type_of(expression, tree_.at(index).range); };
    const ValueType type = std::visit(visit, tree_.nodes[index].expression);
    tree_.nodes[index].type = type;
    return type;
  }

  const ParseStatus& error() const { return error_; }

 private:
  ValueType type_of(const NumberLiteral&, TextRange) { return ValueType::kScalar; }
  ValueType type_of(const StringLiteral&, TextRange) { return ValueType::kString; }
  ValueType type_of(const Selector& selector, TextRange range) {
    check_matchers(selector, range);
    return ValueType::kVector;
  }
  ValueType type_of(const RangeSelector& range_selector, TextRange range) {
    check_matchers(range_selector.selector, range);
    return ValueType::kMatrix;
  }
  ValueType type_of(const Parentheses& parentheses, TextRange) { return check(parentheses.inner); }

  ValueType type_of(const Subquery& subquery, TextRange range) {
    const ValueType type = check(subquery.expression);
    if (type != ValueType::kVector) {
      fail(range,
           "subquery is only allowed on instant vector, got " + std::string(short_name(type)) + " instead");
    }
    return ValueType::kMatrix;
  }

  ValueType type_of(const Unary& unary, TextRange range) {
    const ValueType type = check(unary.operand);
    if (!is_number_or_vector(type)) {
      fail(range, "unary expression only allowed on expressions of type scalar or instant vector, got " +
                      quoted_text(documented_name(type)));
    }
    return type;
  }

  ValueType type_of(const Aggregation& aggregation, TextRange) {
    expect(aggregation.operand, ValueType::kVector, "aggregation expression");
    const ValueType parameter = aggregation.aggregator->parameter;
    if (parameter != ValueType::kNone) expect(aggregation.parameter, parameter, "aggregation parameter");
    return ValueType::kVector;
  }

  ValueType type_of(const Call& call, TextRange range) {
    const Function& function = *call.function;
    const size_t known = function.argument_count();
    check_count(call, range);
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      if (i >= known && function.variadic == 0) break;
      const ValueType wanted = function.argument_types[std::min(i, known - 1)];
      expect(call.arguments[i], wanted, "call to function " + quoted_text(function.name));
    }
    return function.result;
  }

  ValueType type_of(Binary& binary, TextRange range) {
    const ValueType left = check(binary.left);
    const ValueType right = check(binary.right);
    const bool are_scalars = left == ValueType::kScalar && right == ValueType::kScalar;
    if (binary.returns_bool && !is_comparison(binary.op)) {
      fail(binary.op_range, "bool modifier can only be used on comparison operators");
    }
    if (is_comparison(binary.op) && !binary.returns_bool && are_scalars) {
      fail(binary.op_range, "comparisons between scalars must use BOOL modifier");
    }
    if (binary.matching) check_matching(*binary.matching, binary);
    for (const auto& [type, side] : {std::pair(left, binary.left), std::pair(right, binary.right)}) {
      if (is_number_or_vector(type)) continue;
      fail(tree_.at(side).range, "binary expression must contain only scalar and instant vector types");
    }
    if (left == ValueType::kVector && right == ValueType::kVector) {
      check_set_op(binary, range);
    } else {
      if (binary.matching && !binary.matching->labels.empty()) {
        fail(range, "vector matching only allowed between instant vectors");
      }
      binary.matching.reset();
    }
    if ((left == ValueType::kScalar || right == ValueType::kScalar) && is_set_op(binary.op)) {
      fail(range,
           "set operator " + quoted_text(op_text(binary.op)) + " not allowed in binary scalar expression");
    }
    return are_scalars ? ValueType::kScalar : ValueType::kVector;
  }

  void check_matching(const Matching& matching, const Binary& binary) {
    if (!matching.is_on) return;
    for (const std::string& label : matching.labels) {
      if (std::find(matching.include.begin(), matching.include.end(), label) == matching.include.end()) {
        continue;
      }
      fail(binary.op_range, "label " + quoted_text(label) + " must not occur in ON and GROUP clause at once");
    }
  }

  void check_set_op(Binary& binary, TextRange range) {
    if (!is_set_op(binary.op)) return;
    if (binary.matching->cardinality != Cardinality::kOneToOne) {
      fail(range, "no grouping allowed for " + quoted_text(op_text(binary.op)) + " operation");
    }
    binary.matching->cardinality = Cardinality::kManyToMany;
  }

  void check_count(const Call& call, TextRange range) {
    const Function& function = *call.function;
    const size_t known = function.argument_count();
    const size_t count = call.arguments.size();
    const size_t least = function.variadic == 0 ? known : known - 1;
    const size_t most = least + static_cast<size_t>(std::max(function.variadic, 0));
    const bool is_open = function.variadic < 0;
    if (count >= least && (is_open || count <= most)) return;
    std::string_view bound = "";
    if (function.variadic != 0) bound = count < least ? "at least " : "at most ";
    fail(range, "expected " + std::string(bound) + std::to_string(count < least ? least : most) +
                    " argument(s) in call to " + quoted_text(function.name) + ", got " +
                    std::to_string(count));
  }

  // A selector must not select every series by a slip.
  void check_matchers(const Selector& selector, TextRange range) {
    const auto& matchers = selector.matchers;
    if (selector.name.empty()) {
      if (std::all_of(matchers.begin(), matchers.end(), selects_missing_label)) {
        fail(range, "vector selector must contain at least one non-empty matcher");
      }
      return;
    }
    for (const Matcher& matcher : matchers) {
      if (matcher.label != kNameLabel) continue;
      fail(range, "metric name must not be set twice: " + quoted_text(selector.name) + " or " +
                      quoted_text(matcher.value));
    }
  }

  void expect(NodeIndex index, ValueType wanted, const std::string& where) {
    const ValueType type = check(index);
    if (type == wanted) return;
    fail(tree_.at(index).range, "expected type " + std::string(documented_name(wanted)) + " in " + where +
                                    ", got " + std::string(documented_name(type)));
  }

  void fail(TextRange range, std::string message) {
    if (!error_) error_ = ParseError{range.begin, std::move(message)};
  }

  SyntaxTree& tree_;
  ParseStatus error_;
};

}  // namespace

ParseStatus check_types(SyntaxTree& tree) {
  TypeCheck checker(tree);
  static_cast<void>(checker.check(tree.root));
  return checker.error();
}

}  // namespace statmill::promql
