#include "server/promql/selector_parser.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "server/promql/literals.h"
#include "server/promql/regex_syntax.h"

namespace statmill::promql {
namespace {

constexpr std::string_view kInMatching = "label matching";
constexpr std::string_view kInGrouping = "grouping opts";

std::optional<MatchOp> match_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::kAssign:
      return MatchOp::kEqual;
    case TokenKind::kNotEqual:
      return MatchOp::kNotEqual;
    case TokenKind::kMatches:
      return MatchOp::kMatches;
    case TokenKind::kNotMatches:
      return MatchOp::kNotMatches;
    default:
      return std::nullopt;
  }
}

// Keywords are labels, too.
bool may_be_label(TokenKind kind) {
  return kind == TokenKind::kName || kind == TokenKind::kAggregator || kind == TokenKind::kAtan2 ||
         (kind >= TokenKind::kStartOrEnd && kind <= TokenKind::kOffset) ||
         (kind >= TokenKind::kAnd && kind <= TokenKind::kUnless);
}

std::optional<Matcher> parse_matcher(TokenStream& tokens) {
  const bool is_quoted = tokens.is(TokenKind::kString);
  if (!is_quoted && !tokens.is(TokenKind::kName)) {
    static_cast<void>(tokens.unexpected(kInMatching, "identifier or \"}\""));
    return std::nullopt;
  }
  const Token label = tokens.consume();
  std::string name = is_quoted ? unquoted(label.text) : std::string(label.text);
  const std::optional<MatchOp> op = match_op(tokens.peek().kind);
  if (!op && is_quoted) return Matcher{std::string(kNameLabel), MatchOp::kEqual, std::move(name)};
  if (!op) {
    static_cast<void>(tokens.unexpected(kInMatching, "label matching operator"));
    return std::nullopt;
  }
  static_cast<void>(tokens.consume());
  if (!tokens.is(TokenKind::kString)) {
    static_cast<void>(tokens.unexpected(kInMatching, "string"));
    return std::nullopt;
  }
  Matcher matcher{std::move(name), *op, unquoted(tokens.consume().text)};
  if (*op == MatchOp::kEqual || *op == MatchOp::kNotEqual) return matcher;
  const Result<bool> is_valid = matches_empty(matcher.value);
  if (is_valid) return matcher;
  static_cast<void>(tokens.fail(label.range.begin, is_valid.error().message));
  return std::nullopt;
}

bool begins_arithmetic(const Token& token) {
  return token.kind == TokenKind::kLeftParenthesis ||
         (token.kind == TokenKind::kName && is_duration_function(token.text));
}

bool refuse_arithmetic(TokenStream& tokens) {
  return tokens.fail(tokens.peek().range.begin, "arithmetic in durations is not supported");
}

// The duration that follows it is the right side of an operator.
bool is_arithmetic(TokenKind kind) { return kind >= TokenKind::kAdd && kind <= TokenKind::kPow; }

std::string fixed_text(double value) {
  std::array<char, 400> buffer;
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  const int size = std::snprintf(buffer.data(), buffer.size(), "%f", value);
  return {buffer.data(), static_cast<size_t>(size)};
}

}  // namespace

std::optional<std::vector<Matcher>> parse_matchers(TokenStream& tokens) {
  std::vector<Matcher> matchers;
  static_cast<void>(tokens.consume());
  while (!tokens.consume_if(TokenKind::kRightBrace)) {
    if (!tokens.count_part()) return std::nullopt;
    std::optional<Matcher> matcher = parse_matcher(tokens);
    if (!matcher) return std::nullopt;
    matchers.push_back(*std::move(matcher));
    if (tokens.consume_if(TokenKind::kComma) || tokens.is(TokenKind::kRightBrace)) continue;
    static_cast<void>(tokens.unexpected(kInMatching, "\",\" or \"}\""));
    return std::nullopt;
  }
  return matchers;
}

std::optional<std::vector<std::string>> parse_labels(TokenStream& tokens) {
  std::vector<std::string> labels;
  if (!tokens.consume_if(TokenKind::kLeftParenthesis)) {
    static_cast<void>(tokens.unexpected(kInGrouping, "\"(\""));
    return std::nullopt;
  }
  while (!tokens.consume_if(TokenKind::kRightParenthesis)) {
    const bool is_quoted = tokens.is(TokenKind::kString);
    if (!is_quoted && !may_be_label(tokens.peek().kind)) {
      static_cast<void>(tokens.unexpected(kInGrouping, "label"));
      return std::nullopt;
    }
    const Token token = tokens.consume();
    labels.push_back(is_quoted ? unquoted(token.text) : std::string(token.text));
    if (labels.back().empty()) {
      static_cast<void>(tokens.fail(token.range.begin, "invalid label name for grouping: \"\""));
      return std::nullopt;
    }
    if (!tokens.count_part()) return std::nullopt;
    if (tokens.consume_if(TokenKind::kComma) || tokens.is(TokenKind::kRightParenthesis)) continue;
    static_cast<void>(tokens.unexpected(kInGrouping, "\",\" or \")\""));
    return std::nullopt;
  }
  return labels;
}

std::optional<Duration> parse_duration_token(TokenStream& tokens, std::string_view context,
                                             std::string_view expected) {
  if (!tokens.is(TokenKind::kDuration)) {
    static_cast<void>(begins_arithmetic(tokens.peek()) ? refuse_arithmetic(tokens)
                                                       : tokens.unexpected(context, expected));
    return std::nullopt;
  }
  const Token token = tokens.consume();
  const Result<Duration> duration = parse_duration_literal(token.text);
  if (duration) return *duration;
  static_cast<void>(tokens.fail(token.range.begin, duration.error().message));
  return std::nullopt;
}

std::optional<RangeText> parse_range(TokenStream& tokens) {
  constexpr std::string_view kInSubquery = "subquery selector";
  static_cast<void>(tokens.consume());
  const auto range = parse_duration_token(tokens, kInSubquery, "duration");
  if (!range) return std::nullopt;
  RangeText out{*range, std::nullopt};
  if (tokens.consume_if(TokenKind::kRightBracket)) return out;
  if (!tokens.consume_if(TokenKind::kColon)) {
    static_cast<void>(is_arithmetic(tokens.peek().kind)
                          ? refuse_arithmetic(tokens)
                          : tokens.unexpected("subquery or range", "\":\" or \"]\""));
    return std::nullopt;
  }
  out.step = Duration(0);
  if (tokens.consume_if(TokenKind::kRightBracket)) return out;
  out.step = parse_duration_token(tokens, kInSubquery, "duration or \"]\"");
  if (!out.step) return std::nullopt;
  if (tokens.consume_if(TokenKind::kRightBracket)) return out;
  static_cast<void>(is_arithmetic(tokens.peek().kind) ? refuse_arithmetic(tokens)
                                                      : tokens.unexpected(kInSubquery, "\"]\""));
  return std::nullopt;
}

std::optional<Duration> parse_offset(TokenStream& tokens) {
  const bool is_negative = tokens.consume_if(TokenKind::kSub);
  const auto duration = parse_duration_token(tokens, "offset", "duration");
  return duration && is_negative ? -*duration : duration;
}

std::optional<TimeShift> parse_at(TokenStream& tokens, TextRange subject) {
  const auto refuse = [&tokens]() -> std::optional<TimeShift> {
    static_cast<void>(tokens.unexpected("@", "timestamp"));
    return std::nullopt;
  };
  if (tokens.is(TokenKind::kStartOrEnd)) {
    const char initial = tokens.consume().text.front();
    if (!tokens.consume_if(TokenKind::kLeftParenthesis)) return refuse();
    if (!tokens.consume_if(TokenKind::kRightParenthesis)) return refuse();
    return TimeShift{.at = initial == 's' || initial == 'S' ? At::kStart : At::kEnd};
  }
  const bool is_negative = tokens.consume_if(TokenKind::kSub);
  if (!is_negative) static_cast<void>(tokens.consume_if(TokenKind::kAdd));
  if (!tokens.is(TokenKind::kNumber)) return refuse();
  const Token token = tokens.consume();
  const Result<double> number = parse_number(token.text);
  if (!number) {
    static_cast<void>(tokens.fail(token.range.begin, number.error().message));
    return std::nullopt;
  }
  const double seconds = is_negative ? -*number : *number;
  const double milliseconds = std::round(seconds * 1000);
  if (!(std::abs(milliseconds) <= static_cast<double>(kTimestampMax_ms))) {
    static_cast<void>(
        tokens.fail(subject.begin, "timestamp out of bounds for @ modifier: " + fixed_text(seconds)));
    return std::nullopt;
  }
  return TimeShift{.at = At::kTime, .at_ms = static_cast<int64_t>(milliseconds)};
}

}  // namespace statmill::promql
