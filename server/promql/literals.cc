#include "server/promql/literals.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/number_text.h"
#include "base/text.h"

namespace statmill::promql {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct CodeRange {
  char32_t first;
  char32_t last;
};

// Characters that are escaped when printed: controls, blanks but the space, marks of direction, surrogates,
// private use and noncharacters. Code points that Unicode has not assigned are printed as they are.
constexpr std::array kUnprintable = {
    CodeRange{0x00, 0x1F},         CodeRange{0x7F, 0xA0},     CodeRange{0xAD, 0xAD},
    CodeRange{0x61C, 0x61C},       CodeRange{0x1680, 0x1680}, CodeRange{0x180E, 0x180E},
    CodeRange{0x2000, 0x200F},     CodeRange{0x2028, 0x202F}, CodeRange{0x205F, 0x206F},
    CodeRange{0x3000, 0x3000},     CodeRange{0xD800, 0xF8FF}, CodeRange{0xFEFF, 0xFEFF},
    CodeRange{0xFFF0, 0xFFFB},     CodeRange{0xFFFE, 0xFFFF}, CodeRange{0xE0000, 0xE00FF},
    CodeRange{0xE01F0, 0x10FFFFFF}};

bool is_printable(char32_t code) {
  const auto has = [code](const CodeRange& range) { return range.first <= code && code <= range.last; };
  return std::none_of(kUnprintable.begin(), kUnprintable.end(), has);
}

// The escapes of one letter: a byte, and the letter after the backslash.
struct LetterEscape {
  char byte;
  char letter;
};
constexpr std::array kLetterEscapes = {
    LetterEscape{'\a', 'a'}, LetterEscape{'\b', 'b'}, LetterEscape{'\f', 'f'}, LetterEscape{'\n', 'n'},
    LetterEscape{'\r', 'r'}, LetterEscape{'\t', 't'}, LetterEscape{'\v', 'v'}};

std::optional<char> byte_of_letter(char letter) {
  for (const LetterEscape& escape : kLetterEscapes) {
    if (escape.letter == letter) return escape.byte;
  }
  return std::nullopt;
}

void append_hex(std::string& out, char32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += kHexDigits[(value >> shift) & 15];
}

void append_escaped(std::string& out, char32_t code, char quote) {
  if (code == static_cast<unsigned char>(quote) || code == '\\') {
    out += '\\';
    out += static_cast<char>(code);
    return;
  }
  if (is_printable(code)) return append_utf8(out, code);
  for (const LetterEscape& escape : kLetterEscapes) {
    if (code != static_cast<unsigned char>(escape.byte)) continue;
    out += '\\';
    out += escape.letter;
    return;
  }
  const bool is_ascii = code < 0x80;
  const bool is_short = code < 0x10000;
  out += is_ascii ? "\\x" : is_short ? "\\u" : "\\U";
  append_hex(out, code, is_ascii ? 2 : is_short ? 4 : 8);
}

// Appends what the escape at the start of the text encodes, which follows a backslash; returns its size.
size_t append_unescaped(std::string& out, std::string_view text) {
  const char letter = text.front();
  if (const auto byte = byte_of_letter(letter)) {
    out += *byte;
    return 1;
  }
  if (letter >= '0' && letter <= '7') {
    out += static_cast<char>(parse_as<unsigned>(text.substr(0, 3), 8).value_or(0));
    return 3;
  }
  const size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  if (digits == 0) {  // a quote or a backslash
    out += letter;
    return 1;
  }
  const uint32_t value = parse_as<uint32_t>(text.substr(1, digits), 16).value_or(0);
  if (letter == 'x') {
    out += static_cast<char>(value);
  } else {
    append_utf8(out, value);
  }
  return 1 + digits;
}

struct DurationUnit {
  std::string_view name;
  int64_t ms;
  bool is_exact;  // printed only if nothing remains
};
constexpr std::array kUnits = {DurationUnit{"y", int64_t{365} * 86'400'000, true},
                               DurationUnit{"w", int64_t{7} * 86'400'000, true},
                               DurationUnit{"d", 86'400'000, false},
                               DurationUnit{"h", 3'600'000, false},
                               DurationUnit{"m", 60'000, false},
                               DurationUnit{"s", 1'000, false},
                               DurationUnit{"ms", 1, false}};

// The longest duration: Prometheus counts nanoseconds in 64 bits.
constexpr int64_t kDurationMax_ms = std::numeric_limits<int64_t>::max() / 1'000'000;

Error bad_number(std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalid,
          "error parsing number: strconv.ParseFloat: parsing " + quoted_text(text) + ": " + std::string(why)};
}

// Parses an integer below 2^63 as Go does: 0x is hexadecimal, a leading zero octal.
std::optional<int64_t> parse_go_integer(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return parse_as<int64_t>(text.substr(2), 16);
  if (text.size() > 1 && text.front() == '0') return parse_as<int64_t>(text.substr(1), 8);
  return parse_as<int64_t>(text);
}

// Appends NaN and infinities. Returns false for finite values.
bool append_special(std::string& out, double value) {
  if (std::isfinite(value)) return false;
  out += std::isnan(value) ? "NaN" : value < 0 ? "-Inf" : "+Inf";
  return true;
}

}  // namespace

Character first_character(std::string_view text) {
  const size_t size = utf8_length(text);
  if (size == 0) return {kReplacement, 1, false};
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (size == 1) return {byte(0), 1};
  char32_t code = byte(0) & (0x7FU >> size);
  for (size_t i = 1; i < size; ++i) code = code << 6 | (byte(i) & 0x3FU);
  return {code, size};
}

void append_utf8(std::string& out, char32_t code) {
  const auto append_tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    append_tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    append_tail(6);
    append_tail(0);
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    append_tail(12);
    append_tail(6);
    append_tail(0);
  }
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.is_utf8) {
      append_escaped(out, character.code, '"');
    } else {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text.front()), 2);
    }
    text.remove_prefix(character.size);
  }
  out += '"';
}

std::string quoted_text(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

std::string quoted_character(char32_t code) {
  std::string out = "'";
  append_escaped(out, code, '\'');
  return out + "'";
}

std::string named_character(char32_t code) {
  std::string digits;
  append_hex(digits, code, code < 0x10000 ? 4 : code < 0x100000 ? 5 : 6);
  for (char& digit : digits) {
    if (digit >= 'a') digit = static_cast<char>(digit - 'a' + 'A');
  }
  std::string out = "U+" + digits;
  if (!is_printable(code)) return out;
  out += " '";
  append_utf8(out, code);
  return out + "'";
}

std::string unquoted(std::string_view token) {
  const bool is_raw = token.front() == '`';
  std::string_view text = token.substr(1, token.size() - 2);
  if (is_raw) return std::string(text);
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '\\') {
      i += 1 + append_unescaped(out, text.substr(i + 1));
    } else {
      out += text[i++];
    }
  }
  return out;
}

Result<double> parse_number(std::string_view text) {
  if (const auto integer = parse_go_integer(text)) return static_cast<double>(*integer);
  const std::string lower = lower_case(text);
  if (lower == "inf") return std::numeric_limits<double>::infinity();
  if (lower == "nan") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed_end, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || parsed_end != end) return bad_number(text, "invalid syntax");
  if (error == std::errc{}) return value;
  // from_chars reports too small numbers like too great ones.
  const double limit = std::strtod(std::string(text).c_str(), nullptr);
  if (std::isinf(limit)) return bad_number(text, "value out of range");
  return limit;
}

void append_float(std::string& out, double value) {
  if (append_special(out, value)) return;
  std::array<char, 40> buffer;
  char* const begin = buffer.data();
  char* const end = begin + buffer.size();
  char* last = std::to_chars(begin, end, value, std::chars_format::scientific).ptr;
  const std::string_view scientific(begin, static_cast<size_t>(last - begin));
  const size_t mark = scientific.find('e');
  const bool is_negative = scientific[mark + 1] == '-';
  const int digits = parse_as<int>(scientific.substr(mark + 2)).value_or(0);
  const int exponent = is_negative ? -digits : digits;
  if (exponent < -4 || exponent > 5) {
    out += scientific;
    return;
  }
  last = std::to_chars(begin, end, value, std::chars_format::fixed).ptr;
  out.append(begin, last);
}

void append_plain_float(std::string& out, double value) {
  if (append_special(out, value)) return;
  std::array<char, 400> buffer;  // -1.8e308 has 310 bytes, 5e-324 has 326
  char* const end = buffer.data() + buffer.size();
  out.append(buffer.data(), std::to_chars(buffer.data(), end, value, std::chars_format::fixed).ptr);
}

Result<Duration> parse_duration_literal(std::string_view text) {
  const auto invalid = [&] {
    return Error{ErrorCode::kInvalid, "not a valid duration string: " + quoted_text(text)};
  };
  const Error out_of_range{ErrorCode::kInvalid, "duration out of range"};
  std::string_view rest = text;
  int64_t total_ms = 0;
  for (const DurationUnit& unit : kUnits) {
    const size_t digits = rest.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos) break;
    const std::string_view name =
        rest.substr(digits).substr(0, rest.find_first_of("0123456789", digits) - digits);
    if (name != unit.name) continue;
    const auto count = parse_as<int64_t>(rest.substr(0, digits));
    if (!count || *count > (kDurationMax_ms - total_ms) / unit.ms) return out_of_range;
    total_ms += *count * unit.ms;
    rest.remove_prefix(digits + name.size());
  }
  if (!rest.empty() || text.empty()) return invalid();
  if (total_ms == 0) return Error{ErrorCode::kInvalid, "duration must be greater than 0"};
  return Duration(total_ms);
}

void append_duration(std::string& out, Duration duration) {
  int64_t rest_ms = duration.count();
  if (rest_ms == 0) out += "0s";
  for (const DurationUnit& unit : kUnits) {
    const int64_t count = rest_ms / unit.ms;
    if (count == 0 || (unit.is_exact && rest_ms % unit.ms != 0)) continue;
    out.append(std::to_string(count)).append(unit.name);
    rest_ms -= count * unit.ms;
  }
}

}  // namespace statmill::promql
