#include "tests/server/promql/trees.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/promql/binary_ops.h"

namespace statmill::promql {
namespace {

class TreeMaker {
 public:
  explicit TreeMaker(std::mt19937_64& random) : random_(random) {}

  SyntaxTree make(int depth) {
    tree_.root = make_of(one_of<ValueType>({ValueType::kScalar, ValueType::kVector, ValueType::kVector,
                                            ValueType::kMatrix, ValueType::kString}),
                         depth);
    return std::move(tree_);
  }

 private:
  size_t below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random_); }
  bool chance(size_t one_in) { return below(one_in) == 0; }
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

  NodeIndex add(Expression expression, ValueType type) {
    tree_.nodes.push_back({std::move(expression), type, {}});
    return static_cast<NodeIndex>(tree_.nodes.size() - 1);
  }
  NodeIndex parenthesized(NodeIndex inner) { return add(Parentheses{inner}, tree_.at(inner).type); }

  NodeIndex make_of(ValueType type, int depth) {
    switch (type) {
      case ValueType::kString:
        return add(StringLiteral{text()}, type);
      case ValueType::kScalar:
        return scalar(depth);
      case ValueType::kMatrix:
        return matrix(depth);
      default:
        return vector(depth);
    }
  }

  NodeIndex scalar(int depth) {
    const size_t choice = depth <= 0 ? 0 : below(5);
    if (choice == 1) return parenthesized(scalar(depth - 1));
    if (choice == 2) return binary(ValueType::kScalar, depth);
    if (choice == 3) return call(ValueType::kScalar, depth);
    if (choice == 4) return unary(ValueType::kScalar, depth);
    return add(NumberLiteral{number()}, ValueType::kScalar);
  }

  NodeIndex vector(int depth) {
    const size_t choice = depth <= 0 ? 0 : below(7);
    if (choice == 1) return parenthesized(vector(depth - 1));
    if (choice == 2) return binary(ValueType::kVector, depth);
    if (choice == 3) return call(ValueType::kVector, depth);
    if (choice == 4) return unary(ValueType::kVector, depth);
    if (choice == 5) return aggregation(depth);
    return add(selector(), ValueType::kVector);
  }

  NodeIndex matrix(int depth) {
    if (depth <= 0 || chance(2)) return add(RangeSelector{selector(), duration()}, ValueType::kMatrix);
    Subquery subquery{.expression = vector(depth - 1), .range = duration(), .shift = shift()};
    if (!is_primary(subquery.expression)) subquery.expression = parenthesized(subquery.expression);
    if (chance(2)) subquery.step = duration();
    return add(subquery, ValueType::kMatrix);
  }

  // Returns true if nothing before or after its text becomes part of it.
  bool is_primary(NodeIndex index) {
    const Expression& expression = tree_.at(index).expression;
    return !std::holds_alternative<Binary>(expression) && !std::holds_alternative<Unary>(expression);
  }

  NodeIndex unary(ValueType type, int depth) {
    NodeIndex operand = make_of(type, depth - 1);
    const Expression& expression = tree_.at(operand).expression;
    const auto* inner = std::get_if<Binary>(&expression);
    const bool is_number = std::holds_alternative<NumberLiteral>(expression);
    if (is_number || (inner != nullptr && inner->op != BinaryOp::kPow)) operand = parenthesized(operand);
    return add(Unary{chance(2), operand}, type);
  }

  bool needs_parentheses(NodeIndex index, BinaryOp op, bool is_left) {
    const Expression& expression = tree_.at(index).expression;
    const bool is_base = op == BinaryOp::kPow && is_left;
    if (const auto* number = std::get_if<NumberLiteral>(&expression)) {
      return is_base && std::signbit(number->value);
    }
    if (std::holds_alternative<Unary>(expression)) return is_base;
    const auto* binary = std::get_if<Binary>(&expression);
    if (binary == nullptr) return false;
    const int difference = precedence(binary->op) - precedence(op);
    return difference < 0 || (difference == 0 && is_left == (op == BinaryOp::kPow));
  }

  NodeIndex binary(ValueType type, int depth) {
    Binary out;
    out.op = static_cast<BinaryOp>(below(kBinaryOps.size()));
    const bool is_scalar = type == ValueType::kScalar;
    if (is_scalar && is_set_op(out.op)) out.op = BinaryOp::kPow;
    out.returns_bool = is_comparison(out.op) && (is_scalar || chance(2));
    const bool is_mixed = !is_scalar && !is_set_op(out.op) && chance(3);
    const bool is_left_scalar = is_scalar || (is_mixed && chance(2));
    const bool is_right_scalar = is_scalar || (is_mixed && !is_left_scalar);
    const auto side = [&](bool is_side_scalar, bool is_left) {
      const NodeIndex index = make_of(is_side_scalar ? ValueType::kScalar : ValueType::kVector, depth - 1);
      return needs_parentheses(index, out.op, is_left) ? parenthesized(index) : index;
    };
    out.left = side(is_left_scalar, true);
    out.right = side(is_right_scalar, false);
    if (!is_left_scalar && !is_right_scalar) out.matching = matching(out.op);
    return add(std::move(out), type);
  }

  Matching matching(BinaryOp op) {
    Matching out;
    out.is_on = chance(2);
    if (out.is_on || chance(2)) out.labels = labels();
    if (is_set_op(op)) {
      out.cardinality = Cardinality::kManyToMany;
    } else if (chance(2)) {
      out.cardinality = chance(2) ? Cardinality::kManyToOne : Cardinality::kOneToMany;
      if (chance(2)) out.include = {"included"};
    }
    return out;
  }

  NodeIndex call(ValueType type, int depth) {
    std::vector<const Function*> fitting;
    for (const Function& function : all_functions()) {
      if (function.result == type) fitting.push_back(&function);
    }
    Call out{one_of(fitting), {}};
    const size_t known = out.function->argument_count();
    size_t count = known;
    if (out.function->variadic != 0) {
      const auto more = static_cast<size_t>(out.function->variadic < 0 ? 4 : out.function->variadic);
      count = known - 1 + below(more + 1);
    }
    for (size_t i = 0; i < count; ++i) {
      out.arguments.push_back(make_of(out.function->argument_types[std::min(i, known - 1)], depth - 1));
    }
    return add(std::move(out), type);
  }

  NodeIndex aggregation(int depth) {
    Aggregation out;
    out.aggregator = &all_aggregators()[below(all_aggregators().size())];
    out.is_without = chance(2);
    out.labels = labels();
    const ValueType parameter = out.aggregator->parameter;
    if (parameter != ValueType::kNone) out.parameter = make_of(parameter, depth - 1);
    out.operand = vector(depth - 1);
    return add(std::move(out), ValueType::kVector);
  }

  Selector selector() {
    Selector out;
    if (!chance(3)) out.name = one_of<std::string>({"foo", "a:b", "sum", "by", "end", "offset", "x_total"});
    for (size_t i = below(3); i > 0; --i) {
      out.matchers.push_back({label(), one_of<MatchOp>({MatchOp::kEqual, MatchOp::kNotEqual}), text()});
    }
    if (chance(3))
      out.matchers.push_back({label(), MatchOp::kMatches, one_of<std::string>({"a|b", "[x]+", ".*"})});
    if (out.name.empty()) out.matchers.push_back({std::string(kNameLabel), MatchOp::kEqual, "cpu.idle"});
    out.shift = shift();
    out.edges = one_of<Edges>({Edges::kPlain, Edges::kPlain, Edges::kAnchored, Edges::kSmoothed});
    return out;
  }

  TimeShift shift() {
    TimeShift out;
    if (chance(3)) out.offset = chance(2) ? duration() : -duration();
    out.at = one_of<At>({At::kEvaluation, At::kEvaluation, At::kTime, At::kStart, At::kEnd});
    if (out.at == At::kTime) out.at_ms = static_cast<int64_t>(random_() >> 14) * (chance(2) ? 1 : -1);
    return out;
  }

  Duration duration() { return Duration(1 + static_cast<int64_t>(random_() % (uint64_t{1} << below(42)))); }

  double number() {
    const double special =
        one_of<double>({0.0, 1.0, 0.1, 1e6, 1e-7, 1e300, std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::quiet_NaN()});
    const double value = chance(2) ? special : std::bit_cast<double>(random_());
    const double plain = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
    return chance(2) && !std::isnan(plain) ? -plain : plain;
  }

  std::string label() { return one_of<std::string>({"a", "by", "_x9", "a.b", "ä", "sum", "with \" quote"}); }
  std::vector<std::string> labels() {
    std::vector<std::string> out;
    for (size_t i = below(3); i > 0; --i) out.push_back(label());
    return out;
  }

  // Any bytes, often in pieces that need escapes.
  std::string text() {
    std::string out;
    for (size_t i = below(4); i > 0; --i) {
      out += chance(2) ? std::string(1, static_cast<char>(random_()))
                       : one_of<std::string>({"a", "\"", "\\", "\n", "€", "😀", "\xff", "\u200b", "`", "#"});
    }
    return out;
  }

  std::mt19937_64& random_;
  SyntaxTree tree_;
};

}  // namespace

SyntaxTree random_tree(std::mt19937_64& random, int depth) { return TreeMaker(random).make(depth); }

}  // namespace statmill::promql
