// The syntax tree of a PromQL query: nodes in one array, each child before its parent.
//
// Indices instead of pointers make a tree a plain value: it is copied, compared and destroyed without
// recursion, whatever a query nests. The texts are decoded and owned, so a tree outlives the query's text.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "server/promql/functions.h"

namespace statmill::promql {

// The label that holds the name of a metric.
inline constexpr std::string_view kNameLabel = "__name__";

using NodeIndex = uint32_t;
inline constexpr NodeIndex kNoNode = UINT32_MAX;

// Bytes of the query's text, half-open.
struct TextRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

enum class MatchOp : uint8_t { kEqual, kNotEqual, kMatches, kNotMatches };

struct Matcher {
  std::string label;
  MatchOp op = MatchOp::kEqual;
  std::string value;  // a regular expression for the last two operators
  bool operator==(const Matcher&) const = default;
};

// The time that the modifier `@` selects.
enum class At : uint8_t { kEvaluation, kTime, kStart, kEnd };

// When a selector or a subquery is evaluated, relative to the query.
struct TimeShift {
  Duration offset{0};  // into the past; negative: into the future
  At at = At::kEvaluation;
  int64_t at_ms = 0;  // since 1970, with At::kTime only
  bool operator==(const TimeShift&) const = default;
};

// How rates treat the edges of a range.
enum class Edges : uint8_t { kPlain, kAnchored, kSmoothed };

struct NumberLiteral {
  double value = 0;
  // By bits, so that NaN equals itself and -0 differs from 0.
  bool operator==(const NumberLiteral& other) const {
    return std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(other.value);
  }
};

struct StringLiteral {
  std::string value;  // any bytes
  bool operator==(const StringLiteral&) const = default;
};

struct Selector {
  std::string name;               // as written before the braces; empty if there is none
  std::vector<Matcher> matchers;  // without that name; those of `{"name"}` and `__name__` are included
  TimeShift shift;
  Edges edges = Edges::kPlain;
  bool operator==(const Selector&) const = default;
};

struct RangeSelector {
  Selector selector;
  Duration range{0};
  bool operator==(const RangeSelector&) const = default;
};

struct Subquery {
  NodeIndex expression = kNoNode;
  Duration range{0};
  Duration step{0};  // 0: the default of the evaluation
  TimeShift shift;
  bool operator==(const Subquery&) const = default;
};

// A sign before anything but a number; the sign of a number is part of it.
struct Unary {
  bool is_minus = true;
  NodeIndex operand = kNoNode;
  bool operator==(const Unary&) const = default;
};

struct Parentheses {
  NodeIndex inner = kNoNode;
  bool operator==(const Parentheses&) const = default;
};

struct Call {
  const Function* function = nullptr;  // in the table, never null
  std::vector<NodeIndex> arguments;
  bool operator==(const Call&) const = default;
};

struct Aggregation {
  const Aggregator* aggregator = nullptr;  // in the table, never null
  bool is_without = false;                 // without `labels`; false: by `labels`
  std::vector<std::string> labels;
  NodeIndex parameter = kNoNode;  // present if and only if the aggregator has one
  NodeIndex operand = kNoNode;
  bool operator==(const Aggregation&) const = default;
};

enum class BinaryOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kPow,
  kAtan2,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kAnd,
  kOr,
  kUnless,
};

// How many series of the left and of the right side may match.
enum class Cardinality : uint8_t { kOneToOne, kManyToOne, kOneToMany, kManyToMany };

struct Matching {
  Cardinality cardinality = Cardinality::kOneToOne;
  bool is_on = false;  // match on `labels` only; otherwise on all but these
  std::vector<std::string> labels;
  std::vector<std::string> include;  // labels that group_left or group_right copies
  bool operator==(const Matching&) const = default;
};

struct Binary {
  BinaryOp op = BinaryOp::kAdd;
  bool returns_bool = false;
  NodeIndex left = kNoNode;
  NodeIndex right = kNoNode;
  std::optional<Matching> matching;  // after the type check: present if and only if both sides are vectors
  TextRange op_range;
  bool operator==(const Binary& other) const {
    return op == other.op && returns_bool == other.returns_bool && left == other.left &&
           right == other.right && matching == other.matching;
  }
};

using Expression = std::variant<NumberLiteral, StringLiteral, Selector, RangeSelector, Subquery, Unary,
                                Parentheses, Call, Aggregation, Binary>;

struct Node {
  Expression expression;
  ValueType type = ValueType::kNone;  // set by the type check
  TextRange range;
  // Ignores where the text has it.
  bool operator==(const Node& other) const { return expression == other.expression && type == other.type; }
};

struct SyntaxTree {
  std::vector<Node> nodes;  // each child before its parent
  NodeIndex root = kNoNode;
  const Node& at(NodeIndex index) const { return nodes[index]; }
  bool operator==(const SyntaxTree&) const = default;
};

}  // namespace statmill::promql
