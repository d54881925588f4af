#include "server/promql/parser.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "server/promql/binary_ops.h"
#include "server/promql/literals.h"
#include "server/promql/selector_parser.h"
#include "server/promql/token_stream.h"
#include "server/promql/type_check.h"

namespace statmill::promql {
namespace {

// Reads expressions by recursive descent, with the precedence of operators as an argument. Each recursion
// that a query can repeat counts as a level of nesting; the others are at most one per precedence.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(text) {}

  // Returns false after an error.
  bool run() {
    if (tokens_.is(TokenKind::kEnd)) return tokens_.fail(0, "no expression found in input");
    tree_.root = parse_expression(kPrecedenceMin);
    if (tree_.root == kNoNode) return false;
    return tokens_.is(TokenKind::kEnd) || tokens_.unexpected();
  }

  SyntaxTree& tree() { return tree_; }
  const ParseStatus& error() const { return tokens_.error(); }

 private:
  // Each returns kNoNode after an error.
  NodeIndex parse_expression(int precedence_min);
  NodeIndex parse_right_side(NodeIndex left, BinaryOp op);
  NodeIndex parse_operand();
  NodeIndex parse_primary();
  NodeIndex parse_modifiers(NodeIndex subject);
  NodeIndex parse_sign();
  NodeIndex parse_number_token();
  NodeIndex parse_parentheses();
  NodeIndex parse_selector(std::optional<Token> name);
  NodeIndex parse_call(const Token& name);
  NodeIndex parse_aggregation(const Token& name);

  // Each returns false after an error.
  bool parse_matching(Binary& binary);
  bool parse_arguments(std::vector<NodeIndex>& arguments);
  bool parse_grouping(Aggregation& aggregation);
  bool parse_range_of(NodeIndex subject);
  bool set_offset(NodeIndex subject, Duration offset);
  bool set_at(NodeIndex subject, const TimeShift& at);
  bool set_edges(NodeIndex subject, const Token& word);
  TimeShift* shift_of(NodeIndex index);

  NodeIndex add(Expression expression, TextRange range) {
    if (!tokens_.count_part()) return kNoNode;
    tree_.nodes.push_back({std::move(expression), ValueType::kNone, range});
    return static_cast<NodeIndex>(tree_.nodes.size() - 1);
  }
  NodeIndex failed(uint32_t at, std::string message) {
    static_cast<void>(tokens_.fail(at, std::move(message)));
    return kNoNode;
  }
  NodeIndex failed_unexpected() {
    static_cast<void>(tokens_.unexpected());
    return kNoNode;
  }
  // Calls `parse` one level deeper.
  template <class Parse>
  NodeIndex nested(uint32_t at, Parse parse) {
    if (levels_ == kNestingMax) {
      return failed(at, "query is nested deeper than " + std::to_string(kNestingMax) + " levels");
    }
    ++levels_;
    const NodeIndex index = parse();
    --levels_;
    return index;
  }

  TokenStream tokens_;
  SyntaxTree tree_;
  size_t levels_ = 0;
};

NodeIndex Parser::parse_expression(int precedence_min) {
  NodeIndex left = parse_operand();
  while (left != kNoNode) {
    const std::optional<BinaryOp> op = binary_op(tokens_.peek().kind);
    if (!op || precedence(*op) < precedence_min) return left;
    left = parse_right_side(left, *op);
  }
  return kNoNode;
}

NodeIndex Parser::parse_right_side(NodeIndex left, BinaryOp op) {
  Binary binary;
  binary.op = op;
  binary.left = left;
  binary.op_range = tokens_.consume().range;
  if (!parse_matching(binary)) return kNoNode;
  const auto parse = [&] { return parse_expression(precedence(op) + (op == BinaryOp::kPow ? 0 : 1)); };
  binary.right = op == BinaryOp::kPow ? nested(binary.op_range.begin, parse) : parse();
  if (binary.right == kNoNode) return kNoNode;
  const TextRange range = {tree_.at(left).range.begin, tree_.at(binary.right).range.end};
  return add(std::move(binary), range);
}

bool Parser::parse_matching(Binary& binary) {
  Matching matching;
  binary.returns_bool = tokens_.consume_if(TokenKind::kBool);
  matching.is_on = tokens_.is(TokenKind::kOn);
  if (matching.is_on || tokens_.is(TokenKind::kIgnoring)) {
    static_cast<void>(tokens_.consume());
    auto labels = parse_labels(tokens_);
    if (!labels) return false;
    matching.labels = *std::move(labels);
    const bool is_left = tokens_.is(TokenKind::kGroupLeft);
    if (is_left || tokens_.is(TokenKind::kGroupRight)) {
      static_cast<void>(tokens_.consume());
      matching.cardinality = is_left ? Cardinality::kManyToOne : Cardinality::kOneToMany;
      if (tokens_.is(TokenKind::kLeftParenthesis)) {
        auto include = parse_labels(tokens_);
        if (!include) return false;
        matching.include = *std::move(include);
      }
    }
  }
  binary.matching = std::move(matching);
  return true;
}

NodeIndex Parser::parse_operand() {
  const NodeIndex index = parse_primary();
  return index == kNoNode ? kNoNode : parse_modifiers(index);
}

NodeIndex Parser::parse_primary() {
  const Token token = tokens_.peek();
  switch (token.kind) {
    case TokenKind::kAdd:
    case TokenKind::kSub:
      return nested(token.range.begin, [this] { return parse_sign(); });
    case TokenKind::kNumber:
      return parse_number_token();
    case TokenKind::kString:
      static_cast<void>(tokens_.consume());
      return add(StringLiteral{unquoted(token.text)}, token.range);
    case TokenKind::kLeftParenthesis:
      return nested(token.range.begin, [this] { return parse_parentheses(); });
    case TokenKind::kLeftBrace:
      return parse_selector(std::nullopt);
    case TokenKind::kName:
      static_cast<void>(tokens_.consume());
      if (!tokens_.is(TokenKind::kLeftParenthesis)) return parse_selector(token);
      return nested(token.range.begin, [&] { return parse_call(token); });
    case TokenKind::kAggregator:
      static_cast<void>(tokens_.consume());
      if (!tokens_.is(TokenKind::kLeftParenthesis) && !tokens_.is(TokenKind::kBy) &&
          !tokens_.is(TokenKind::kWithout)) {
        return parse_selector(token);
      }
      return nested(token.range.begin, [&] { return parse_aggregation(token); });
    case TokenKind::kMetricName:
    case TokenKind::kStartOrEnd:
    case TokenKind::kBy:
    case TokenKind::kWithout:
    case TokenKind::kOffset:
    case TokenKind::kAnd:
    case TokenKind::kOr:
    case TokenKind::kUnless:  // keywords that may name a metric
      return parse_selector(tokens_.consume());
    default:
      return failed_unexpected();
  }
}

// A sign binds tighter than `*` and less than `^`. That of a number becomes part of it.
NodeIndex Parser::parse_sign() {
  const Token sign = tokens_.consume();
  const bool is_minus = sign.kind == TokenKind::kSub;
  const NodeIndex operand = parse_expression(precedence(BinaryOp::kPow));
  if (operand == kNoNode) return kNoNode;
  Node& node = tree_.nodes[operand];
  if (auto* number = std::get_if<NumberLiteral>(&node.expression)) {
    if (is_minus) number->value = -number->value;
    node.range.begin = sign.range.begin;
    return operand;
  }
  return add(Unary{is_minus, operand}, {sign.range.begin, node.range.end});
}

NodeIndex Parser::parse_number_token() {
  const Token token = tokens_.consume();
  const Result<double> number = parse_number(token.text);
  if (!number) return failed(token.range.begin, number.error().message);
  return add(NumberLiteral{*number}, token.range);
}

NodeIndex Parser::parse_parentheses() {
  const uint32_t begin = tokens_.consume().range.begin;
  const NodeIndex inner = parse_expression(kPrecedenceMin);
  if (inner == kNoNode) return kNoNode;
  if (!tokens_.consume_if(TokenKind::kRightParenthesis)) return failed_unexpected();
  return add(Parentheses{inner}, {begin, tokens_.consumed_end()});
}

NodeIndex Parser::parse_selector(std::optional<Token> name) {
  const uint32_t begin = name ? name->range.begin : tokens_.peek().range.begin;
  Selector selector;
  if (name) selector.name = name->text;
  if (tokens_.is(TokenKind::kLeftBrace)) {
    auto matchers = parse_matchers(tokens_);
    if (!matchers) return kNoNode;
    selector.matchers = *std::move(matchers);
  }
  return add(std::move(selector), {begin, tokens_.consumed_end()});
}

NodeIndex Parser::parse_call(const Token& name) {
  Call call;
  if (!parse_arguments(call.arguments)) return kNoNode;
  call.function = find_function(name.text);
  if (call.function == nullptr) {
    return failed(name.range.begin, "unknown function with name " + quoted_text(name.text));
  }
  return add(std::move(call), {name.range.begin, tokens_.consumed_end()});
}

// Requires: the next token is the left parenthesis.
bool Parser::parse_arguments(std::vector<NodeIndex>& arguments) {
  static_cast<void>(tokens_.consume());
  if (tokens_.consume_if(TokenKind::kRightParenthesis)) return true;
  for (;;) {
    const NodeIndex argument = parse_expression(kPrecedenceMin);
    if (argument == kNoNode) return false;
    arguments.push_back(argument);
    if (tokens_.consume_if(TokenKind::kRightParenthesis)) return true;
    if (!tokens_.is(TokenKind::kComma)) return tokens_.unexpected();
    const Token comma = tokens_.consume();
    if (tokens_.is(TokenKind::kRightParenthesis)) {
      return tokens_.fail(comma.range.begin, "trailing commas not allowed in function call args");
    }
  }
}

// Requires: the next token is by or without.
bool Parser::parse_grouping(Aggregation& aggregation) {
  aggregation.is_without = tokens_.consume().kind == TokenKind::kWithout;
  auto labels = parse_labels(tokens_);
  if (!labels) return false;
  aggregation.labels = *std::move(labels);
  return true;
}

NodeIndex Parser::parse_aggregation(const Token& name) {
  const auto is_grouping = [this] { return tokens_.is(TokenKind::kBy) || tokens_.is(TokenKind::kWithout); };
  Aggregation aggregation;
  aggregation.aggregator = find_aggregator(lower_case(name.text));
  const bool is_grouped = is_grouping();
  std::vector<NodeIndex> arguments;
  {
    const TokenStream::InAggregation context(tokens_);
    if (is_grouped && !parse_grouping(aggregation)) return kNoNode;
    if (!tokens_.is(TokenKind::kLeftParenthesis)) return failed_unexpected();
    if (!parse_arguments(arguments)) return kNoNode;
  }
  if (!is_grouped && is_grouping() && !parse_grouping(aggregation)) return kNoNode;
  if (arguments.empty()) return failed(name.range.begin, "no arguments for aggregate expression provided");
  const bool has_parameter = aggregation.aggregator->parameter != ValueType::kNone;
  const size_t wanted = has_parameter ? 2 : 1;
  if (arguments.size() != wanted) {
    return failed(name.range.begin, "wrong number of arguments for aggregate expression provided, expected " +
                                        std::to_string(wanted) + ", got " + std::to_string(arguments.size()));
  }
  aggregation.operand = arguments.back();
  if (has_parameter) aggregation.parameter = arguments.front();
  return add(std::move(aggregation), {name.range.begin, tokens_.consumed_end()});
}

// Reads what may follow an operand: ranges, offsets, times. A subquery is a node of its own, so the result
// may be another than the subject.
NodeIndex Parser::parse_modifiers(NodeIndex subject) {
  for (;;) {
    const Token token = tokens_.peek();
    bool is_read = false;
    if (token.kind == TokenKind::kLeftBracket) {
      is_read = parse_range_of(subject);  // and the node of a subquery is the last
      subject = static_cast<NodeIndex>(tree_.nodes.size() - 1);
    } else if (token.kind == TokenKind::kOffset) {
      static_cast<void>(tokens_.consume());
      const auto offset = parse_offset(tokens_);
      is_read = offset && set_offset(subject, *offset);
    } else if (token.kind == TokenKind::kAt) {
      static_cast<void>(tokens_.consume());
      const auto at = parse_at(tokens_, tree_.at(subject).range);
      is_read = at && set_at(subject, *at);
    } else if (token.text == "anchored" || token.text == "smoothed") {
      is_read = set_edges(subject, tokens_.consume());
    } else {
      return subject;
    }
    if (!is_read) return kNoNode;
    tree_.nodes[subject].range.end = tokens_.consumed_end();
  }
}

bool Parser::parse_range_of(NodeIndex subject) {
  const uint32_t bracket = tokens_.peek().range.begin;
  const auto range = parse_range(tokens_);
  if (!range) return false;
  Node& node = tree_.nodes[subject];
  if (range->step) {
    const TextRange whole = {node.range.begin, tokens_.consumed_end()};
    return add(Subquery{subject, range->range, *range->step, {}}, whole) != kNoNode;
  }
  auto* selector = std::get_if<Selector>(&node.expression);
  if (selector == nullptr) return tokens_.fail(bracket, "ranges only allowed for vector selectors");
  if (selector->shift.offset != Duration(0)) {
    return tokens_.fail(bracket, "no offset modifiers allowed before range");
  }
  if (selector->shift.at != At::kEvaluation) {
    return tokens_.fail(bracket, "no @ modifiers allowed before range");
  }
  node.expression = RangeSelector{std::move(*selector), range->range};
  return true;
}

TimeShift* Parser::shift_of(NodeIndex index) {
  Expression& expression = tree_.nodes[index].expression;
  if (auto* selector = std::get_if<Selector>(&expression)) return &selector->shift;
  if (auto* range = std::get_if<RangeSelector>(&expression)) return &range->selector.shift;
  if (auto* subquery = std::get_if<Subquery>(&expression)) return &subquery->shift;
  return nullptr;
}

constexpr std::string_view kNeedsSelector =
    " modifier must be preceded by an instant vector selector or range vector selector or a subquery";

bool Parser::set_offset(NodeIndex subject, Duration offset) {
  const uint32_t begin = tree_.at(subject).range.begin;
  TimeShift* shift = shift_of(subject);
  if (shift == nullptr) return tokens_.fail(begin, "offset" + std::string(kNeedsSelector));
  if (shift->offset != Duration(0)) return tokens_.fail(begin, "offset may not be set multiple times");
  shift->offset = offset;
  return true;
}

bool Parser::set_at(NodeIndex subject, const TimeShift& at) {
  const uint32_t begin = tree_.at(subject).range.begin;
  TimeShift* shift = shift_of(subject);
  if (shift == nullptr) return tokens_.fail(begin, "@" + std::string(kNeedsSelector));
  if (shift->at != At::kEvaluation) {
    return tokens_.fail(begin, "@ <timestamp> may not be set multiple times");
  }
  shift->at = at.at;
  shift->at_ms = at.at_ms;
  return true;
}

bool Parser::set_edges(NodeIndex subject, const Token& word) {
  Node& node = tree_.nodes[subject];
  Selector* selector = std::get_if<Selector>(&node.expression);
  if (auto* range = std::get_if<RangeSelector>(&node.expression)) selector = &range->selector;
  if (selector == nullptr) {
    return tokens_.fail(node.range.begin, std::string(word.text) +
                                              " modifier must be preceded by an instant vector selector or "
                                              "range vector selector");
  }
  if (selector->edges != Edges::kPlain) {
    return tokens_.fail(node.range.begin, "anchored or smoothed may not be set multiple times");
  }
  selector->edges = word.text == "anchored" ? Edges::kAnchored : Edges::kSmoothed;
  return true;
}

}  // namespace

Result<SyntaxTree> parse_promql(std::string_view text) {
  if (text.size() > kQueryBytesMax) {
    const ParseError error{0, "query has more than " + std::to_string(kQueryBytesMax) + " bytes"};
    return Error{ErrorCode::kInvalid, error.text(text)};
  }
  Parser parser(text);
  ParseStatus error;
  if (parser.run()) {
    error = check_types(parser.tree());
  } else {
    error = parser.error();
  }
  if (error) return Error{ErrorCode::kInvalid, error->text(text)};
  return std::move(parser.tree());
}

}  // namespace statmill::promql
