// Numbers, durations and strings of PromQL, to and from text. Reading accepts what Prometheus 2.42 accepts,
// and printing gives its canonical text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace statmill::promql {

// The character at the start of the text, and its size in bytes. Bytes that are not UTF-8 are U+FFFD, one at
// a time. Requires: the text is not empty.
struct Character {
  char32_t code = 0;
  size_t size = 0;
  bool is_utf8 = true;
};
Character first_character(std::string_view text);
void append_utf8(std::string& out, char32_t code);

// ASCII only.
std::string lower_case(std::string_view text);

// Appends the text in double quotes, with escapes for what cannot be printed; parse_string() reads it back.
void append_quoted(std::string& out, std::string_view text);
std::string quoted_text(std::string_view text);
// 'x', or an escape between single quotes.
std::string quoted_character(char32_t code);
// U+0078 'x'.
std::string named_character(char32_t code);

// Decodes a string token with its quotes. Requires: the lexer accepted it.
std::string unquoted(std::string_view token);

// Parses decimal, hexadecimal, octal (a leading zero) and floating-point numbers, "inf" and "nan". Errors:
// kInvalid.
Result<double> parse_number(std::string_view text);
// The shortest decimal that is the same double, with an exponent from 1e+06 up and below 1e-04; "+Inf",
// "-Inf" or "NaN".
void append_float(std::string& out, double value);
// The same without an exponent.
void append_plain_float(std::string& out, double value);

// Parses "1h30m": units y, w, d, h, m, s, ms in this order, each at most once. A year has 365 days. Errors:
// kInvalid, also for zero and for more than 292 years.
Result<Duration> parse_duration_literal(std::string_view text);
// Appends the shortest such text; years and weeks only if nothing remains. Requires: not negative.
void append_duration(std::string& out, Duration duration);

}  // namespace statmill::promql
