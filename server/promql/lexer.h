// Lexer: splits the text of a PromQL query into tokens, one at a time.
//
// As in Prometheus, what a character means depends on the brackets around it: keywords are plain names inside
// braces, a duration follows `[`, and a colon inside brackets is not part of a name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/promql/parse_error.h"

namespace statmill::promql {

enum class TokenKind : uint8_t {
  kEnd,
  kError,  // Lexer::error() says what is wrong
  kComma,
  kColon,
  kLeftParenthesis,
  kRightParenthesis,
  kLeftBrace,
  kRightBrace,
  kLeftBracket,
  kRightBracket,
  kAssign,  // =
  kMatches,
  kNotMatches,
  kNumber,
  kDuration,
  kString,
  kName,        // a name without colons
  kMetricName,  // a name with colons
  kAggregator,  // the name of an aggregation
  kStartOrEnd,  // start, end
  kBy,          // the keywords
  kWithout,
  kOn,
  kIgnoring,
  kGroupLeft,
  kGroupRight,
  kBool,
  kOffset,
  kAt,   // the operators, from here on
  kAdd,  // those of BinaryOp, in its order
  kSub,
  kMul,
  kDiv,
  kMod,
  kPow,
  kAtan2,
  kEqual,
  kNotEqual,  // also a matcher's
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kAnd,
  kOr,
  kUnless,
};

// A view into the query's text.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  TextRange range;
  std::string_view text;

  // The token in the words of errors: `identifier "x"`, `<op:+>`, `end of input`.
  std::string described() const;
};

// Returns whether the name is a function of durations, as in `[step() * 2]`. Arithmetic in durations is an
// experiment of Prometheus 3; the parser refuses it by name.
bool is_duration_function(std::string_view name);

// Returns nullopt for tokens that are not binary operators.
std::optional<BinaryOp> binary_op(TokenKind kind);

class Lexer {
 public:
  // `text` must outlive the lexer and its tokens. Requires: at most 4 GiB.
  explicit Lexer(std::string_view text) : text_(text) {}

  // Returns the next token. After kEnd or kError it returns the same again.
  Token next();
  // Requires: the last token was kError.
  const ParseError& error() const { return error_; }

 private:
  Token scan();
  Token scan_between_operands(char c);
  Token scan_in_braces(char c);
  Token scan_bracket(char c);
  Token scan_operator(char c);
  Token scan_end();
  Token scan_string(char quote);
  Token scan_name();
  Token scan_number_or_duration();
  Token scan_range();
  bool skip_escape(char quote);
  bool skip_number();
  bool skip_duration_after_number();
  void skip_blanks_and_comments();
  void skip_digits(std::string_view digits);
  bool skip(std::string_view any_of);

  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool is_at_end() const { return at_ >= text_.size(); }
  std::string_view scanned() const { return text_.substr(begin_, at_ - begin_); }
  // The token from begin_ to `size` bytes after at_.
  Token token(TokenKind kind, size_t size = 0);
  Token fail(std::string message);
  Token fail_at_character(std::string_view message);

  const std::string_view text_;
  size_t at_ = 0;
  size_t begin_ = 0;  // where the current token begins
  size_t parentheses_ = 0;
  bool is_in_braces_ = false;
  bool is_in_brackets_ = false;
  bool has_colon_ = false;      // since the last [
  bool expects_range_ = false;  // directly after [
  ParseError error_;
  Token last_;
  bool is_finished_ = false;
};

}  // namespace statmill::promql
