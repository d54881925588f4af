#include "server/promql/lexer.h"

#include <algorithm>
#include <array>

#include "server/promql/literals.h"

namespace statmill::promql {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexadecimalDigits = "0123456789abcdefABCDEF";
constexpr size_t kDescribedCharactersMax = 10;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_byte(char c) { return is_letter(c) || is_digit(c); }

struct Keyword {
  std::string_view name;
  TokenKind kind;
};
constexpr std::array kKeywords = {
    Keyword{"and", TokenKind::kAnd},
    Keyword{"or", TokenKind::kOr},
    Keyword{"unless", TokenKind::kUnless},
    Keyword{"atan2", TokenKind::kAtan2},
    Keyword{"offset", TokenKind::kOffset},
    Keyword{"by", TokenKind::kBy},
    Keyword{"without", TokenKind::kWithout},
    Keyword{"on", TokenKind::kOn},
    Keyword{"ignoring", TokenKind::kIgnoring},
    Keyword{"group_left", TokenKind::kGroupLeft},
    Keyword{"group_right", TokenKind::kGroupRight},
    Keyword{"bool", TokenKind::kBool},
    Keyword{"start", TokenKind::kStartOrEnd},
    Keyword{"end", TokenKind::kStartOrEnd},
    Keyword{"inf", TokenKind::kNumber},
    Keyword{"nan", TokenKind::kNumber},
};

// Keywords are keywords in any case.
TokenKind kind_of_name(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const Keyword& keyword : kKeywords) {
    if (keyword.name == lower) return keyword.kind;
  }
  if (find_aggregator(lower) != nullptr) return TokenKind::kAggregator;
  return name.find(':') == std::string_view::npos ? TokenKind::kName : TokenKind::kMetricName;
}

// The quoted text, cut after ten characters.
std::string quoted_start(std::string_view text) {
  std::string_view rest = text;
  for (size_t i = 0; i < kDescribedCharactersMax && !rest.empty(); ++i) {
    rest.remove_prefix(first_character(rest).size);
  }
  return quoted_text(text.substr(0, text.size() - rest.size())) +
         (text.size() > kDescribedCharactersMax ? "..." : "");
}

// The value of a digit up to base 16, or 16.
uint32_t digit_value(char c) {
  const size_t place =
      std::string_view("0123456789abcdef").find(static_cast<char>(is_digit(c) ? c : c | 0x20));
  return is_name_byte(c) && place != std::string_view::npos ? static_cast<uint32_t>(place) : 16;
}

}  // namespace

std::string ParseError::text(std::string_view query) const {
  const std::string_view before = query.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return std::to_string(line) + ":" + std::to_string(at - line_begin + 1) + ": parse error: " + message;
}

std::string Token::described() const {
  if (kind == TokenKind::kEnd) return "end of input";
  if (kind == TokenKind::kAggregator) return "<aggr:" + std::string(text) + ">";
  const bool is_matcher = kind == TokenKind::kMatches || kind == TokenKind::kNotMatches;
  if (kind >= TokenKind::kAt || is_matcher) return "<op:" + std::string(text) + ">";
  if (kind >= TokenKind::kBy) return "<" + std::string(text) + ">";
  if (kind == TokenKind::kName) return "identifier " + quoted_text(text);
  if (kind == TokenKind::kMetricName) return "metric identifier " + quoted_text(text);
  std::string start = quoted_start(text);
  if (kind == TokenKind::kNumber) return "number " + start;
  if (kind == TokenKind::kDuration) return "duration " + start;
  if (kind == TokenKind::kString) return "string " + start;
  return start;
}

bool is_duration_function(std::string_view name) {
  return name == "step" || name == "range" || name == "min_of" || name == "max_of";
}

std::optional<BinaryOp> binary_op(TokenKind kind) {
  static_assert(static_cast<int>(TokenKind::kUnless) - static_cast<int>(TokenKind::kAdd) ==
                static_cast<int>(BinaryOp::kUnless));
  if (kind < TokenKind::kAdd) return std::nullopt;
  return static_cast<BinaryOp>(static_cast<int>(kind) - static_cast<int>(TokenKind::kAdd));
}

Token Lexer::next() {
  if (!is_finished_) last_ = scan();
  is_finished_ = last_.kind == TokenKind::kEnd || last_.kind == TokenKind::kError;
  return last_;
}

Token Lexer::token(TokenKind kind, size_t size) {
  at_ += size;
  return {kind, {static_cast<uint32_t>(begin_), static_cast<uint32_t>(at_)}, scanned()};
}

Token Lexer::fail(std::string message) {
  error_ = {static_cast<uint32_t>(begin_), std::move(message)};
  return {TokenKind::kError, {error_.at, error_.at}, {}};
}

Token Lexer::fail_at_character(std::string_view message) {
  const char32_t code = is_at_end() ? 0xFFFD : first_character(text_.substr(at_)).code;
  return fail(std::string(message) + quoted_character(code));
}

bool Lexer::skip(std::string_view any_of) {
  const bool is_there = !is_at_end() && any_of.find(text_[at_]) != std::string_view::npos;
  at_ += is_there;
  return is_there;
}

void Lexer::skip_digits(std::string_view digits) {
  at_ = std::min(text_.find_first_not_of(digits, at_), text_.size());
}

void Lexer::skip_blanks_and_comments() {
  while (!is_at_end() && (is_blank(text_[at_]) || text_[at_] == '#')) {
    at_ = text_[at_] == '#' ? std::min(text_.find_first_of("\r\n", at_), text_.size()) : at_ + 1;
  }
}

Token Lexer::scan() {
  if (expects_range_) {
    while (is_blank(peek())) ++at_;
  } else {
    skip_blanks_and_comments();
  }
  begin_ = at_;
  if (expects_range_) return scan_range();
  if (is_at_end()) return scan_end();
  const char c = text_[at_];
  if (c == ',') return token(TokenKind::kComma, 1);
  if (c == '"' || c == '\'' || c == '`') return scan_string(c);
  return is_in_braces_ ? scan_in_braces(c) : scan_between_operands(c);
}

Token Lexer::scan_end() {
  if (is_in_braces_) return fail("unexpected end of input inside braces");
  if (parentheses_ != 0) return fail("unclosed left parenthesis");
  if (is_in_brackets_) return fail("unclosed left bracket");
  return token(TokenKind::kEnd);
}

Token Lexer::scan_in_braces(char c) {
  switch (c) {
    case '=':
      return peek(1) == '~' ? token(TokenKind::kMatches, 2) : token(TokenKind::kAssign, 1);
    case '!':
      if (peek(1) == '~') return token(TokenKind::kNotMatches, 2);
      if (peek(1) == '=') return token(TokenKind::kNotEqual, 2);
      ++at_;
      return fail_at_character("unexpected character after '!' inside braces: ");
    case '{':
      return fail_at_character("unexpected left brace ");
    case '}':
      is_in_braces_ = false;
      return token(TokenKind::kRightBrace, 1);
    default:
      break;
  }
  if (!is_letter(c)) return fail_at_character("unexpected character inside braces: ");
  while (is_name_byte(peek())) ++at_;
  return token(TokenKind::kName);
}

Token Lexer::scan_between_operands(char c) {
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return scan_number_or_duration();
  if (is_letter(c) || (c == ':' && !is_in_brackets_)) return scan_name();
  if (std::string_view("(){[]:").find(c) != std::string_view::npos) return scan_bracket(c);
  return scan_operator(c);
}

Token Lexer::scan_bracket(char c) {
  switch (c) {
    case '(':
      ++parentheses_;
      return token(TokenKind::kLeftParenthesis, 1);
    case ')':
      if (parentheses_ == 0) {
        ++begin_;  // Prometheus reports the column after it
        return fail_at_character("unexpected right parenthesis ");
      }
      --parentheses_;
      return token(TokenKind::kRightParenthesis, 1);
    case '{':
      is_in_braces_ = true;
      return token(TokenKind::kLeftBrace, 1);
    case '[':
      if (is_in_brackets_) return fail_at_character("unexpected left bracket ");
      is_in_brackets_ = expects_range_ = true;
      has_colon_ = false;
      return token(TokenKind::kLeftBracket, 1);
    case ']':
      if (!is_in_brackets_) return fail_at_character("unexpected right bracket ");
      is_in_brackets_ = false;
      return token(TokenKind::kRightBracket, 1);
    default:
      if (has_colon_) return fail_at_character("unexpected colon ");
      has_colon_ = true;
      return token(TokenKind::kColon, 1);
  }
}

Token Lexer::scan_operator(char c) {
  const bool has_equal = peek(1) == '=';
  switch (c) {
    case '+':
      return token(TokenKind::kAdd, 1);
    case '-':
      return token(TokenKind::kSub, 1);
    case '*':
      return token(TokenKind::kMul, 1);
    case '/':
      return token(TokenKind::kDiv, 1);
    case '%':
      return token(TokenKind::kMod, 1);
    case '^':
      return token(TokenKind::kPow, 1);
    case '@':
      return token(TokenKind::kAt, 1);
    case '<':
      return has_equal ? token(TokenKind::kLessOrEqual, 2) : token(TokenKind::kLess, 1);
    case '>':
      return has_equal ? token(TokenKind::kGreaterOrEqual, 2) : token(TokenKind::kGreater, 1);
    case '=':
      if (has_equal) return token(TokenKind::kEqual, 2);
      if (peek(1) != '~') return token(TokenKind::kAssign, 1);
      return fail("unexpected character after '=': '~'");
    case '!':
      if (has_equal) return token(TokenKind::kNotEqual, 2);
      ++at_;
      return fail_at_character("unexpected character after '!': ");
    default:
      return fail_at_character("unexpected character: ");
  }
}

Token Lexer::scan_name() {
  while (is_name_byte(peek()) || (peek() == ':' && !is_in_brackets_)) ++at_;
  return token(kind_of_name(scanned()));
}

Token Lexer::scan_string(char quote) {
  const bool is_raw = quote == '`';
  for (++at_; !is_at_end() && text_[at_] != quote;) {
    if (text_[at_] == '\\' && !is_raw) {
      ++at_;
      if (!skip_escape(quote)) return last_;
      continue;
    }
    const Character character = first_character(text_.substr(at_));
    if (!character.is_utf8) return fail("invalid UTF-8 rune");
    if (text_[at_] == '\n' && !is_raw) return fail("unterminated quoted string");
    at_ += character.size;
  }
  if (is_at_end()) return fail(is_raw ? "unterminated raw string" : "unterminated quoted string");
  return token(TokenKind::kString, 1);
}

// Skips an escape, after its backslash. Returns false with the error as last_.
bool Lexer::skip_escape(char quote) {
  const auto refuse = [this](std::string message) {
    last_ = fail(std::move(message));
    return false;
  };
  if (is_at_end()) return refuse("escape sequence not terminated");
  const char letter = text_[at_];
  if (letter == quote || std::string_view("abfnrtv\\").find(letter) != std::string_view::npos) {
    ++at_;
    return true;
  }
  const bool is_octal = letter >= '0' && letter <= '7';
  const int digits = is_octal ? 3 : letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  const char32_t first = first_character(text_.substr(at_)).code;
  if (digits == 0) return refuse("unknown escape sequence " + named_character(first));
  at_ += !is_octal;
  uint64_t value = 0;
  for (int i = 0; i < digits; ++i, ++at_) {
    if (is_at_end()) return refuse("escape sequence not terminated");
    const uint32_t digit = digit_value(text_[at_]);
    if (digit >= (is_octal ? 8U : 16U)) {
      const char32_t code = first_character(text_.substr(at_)).code;
      return refuse("illegal character " + named_character(code) + " in escape sequence");
    }
    value = value * (is_octal ? 8 : 16) + digit;
  }
  const bool is_surrogate = value >= 0xD800 && value < 0xE000;
  if (!is_surrogate && value <= (is_octal ? 0xFFU : 0x10FFFFU)) return true;
  return refuse("escape sequence is an invalid Unicode code point");
}

// Skips a number; returns false if a name goes on after it, as the unit of a duration does.
bool Lexer::skip_number() {
  std::string_view digits = kDigits;
  if (skip("0") && skip("xX")) digits = kHexadecimalDigits;
  skip_digits(digits);
  if (skip(".")) skip_digits(digits);
  if (skip("eE")) {
    skip("+-");
    skip_digits(kDigits);
  }
  return !is_name_byte(peek());
}

// Skips the unit of a number, and more numbers with units. Which units may follow which, the parser checks.
bool Lexer::skip_duration_after_number() {
  if (!skip("smhdwy")) return false;
  skip("s");
  while (is_digit(peek())) {
    skip_digits(kDigits);
    if (!skip("smhdw")) return false;
    skip("s");
  }
  if (!is_name_byte(peek())) return true;
  ++at_;
  return false;
}

Token Lexer::scan_number_or_duration() {
  if (skip_number()) return token(TokenKind::kNumber);
  if (skip_duration_after_number()) return token(TokenKind::kDuration);
  return fail("bad number or duration syntax: " + quoted_text(scanned()));
}

Token Lexer::scan_range() {
  expects_range_ = false;
  if (is_letter(peek())) {
    const Token name = scan_name();
    if (is_duration_function(name.text)) return name;
    at_ = begin_;
  }
  if (skip_number()) return fail("missing unit character in duration");
  if (skip_duration_after_number()) return token(TokenKind::kDuration);
  return fail("bad duration syntax: " + quoted_text(scanned()));
}

}  // namespace statmill::promql
