#include "server/rules/go_string.h"

#include <algorithm>
#include <charconv>

#include "server/promql/literals.h"

namespace statmill::rules {
namespace {

Error string_fault(std::string message) { return {ErrorCode::kInvalid, std::move(message)}; }

// The code of `digits` digits at text[at].
Result<uint32_t> consume_code(std::string_view text, size_t& at, size_t digits, int base) {
  const std::string_view code = text.substr(at, digits);
  uint32_t out = 0;
  const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), out, base);
  if (code.size() < digits || error != std::errc() || end != code.data() + code.size())
    return string_fault("an escape has too few digits");
  at += digits;
  return out;
}

Status append_character(std::string& out, uint32_t code) {
  if (code > 0x10ffff || (0xd800 <= code && code < 0xe000)) return string_fault("an escape is no character");
  promql::append_utf8(out, static_cast<char32_t>(code));
  return Status::ok();
}

// Decodes the escape whose first byte after the backslash is text[at].
Status consume_escape(std::string_view text, size_t& at, std::string& out) {
  constexpr std::string_view kNames = "abfnrtv\\\"'";
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\\"'";
  if (at >= text.size()) return string_fault("unterminated quoted string");
  const char c = text[at];
  if (const size_t name = kNames.find(c); name != std::string_view::npos) {
    ++at;
    out.push_back(kValues[name]);
    return Status::ok();
  }
  if ('0' <= c && c <= '7') {
    const auto code = consume_code(text, at, 3, 8);
    if (!code) return code.error();
    if (*code > 255) return string_fault("an escape is no byte");
    out.push_back(static_cast<char>(*code));
    return Status::ok();
  }
  if (c != 'x' && c != 'u' && c != 'U') return string_fault("unknown escape in a quoted string");
  ++at;
  const auto code = consume_code(text, at, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16);
  if (!code) return code.error();
  if (c != 'x') return append_character(out, *code);
  out.push_back(static_cast<char>(*code));
  return Status::ok();
}

}  // namespace

Result<std::string> consume_go_string(std::string_view text, size_t& at) {
  const char quote = text[at];
  if (quote != '"' && quote != '`') return string_fault("a quoted string is expected");
  std::string out;
  if (quote == '`') {
    const size_t end = text.find('`', at + 1);
    if (end == std::string_view::npos) return string_fault("unterminated raw quoted string");
    out = text.substr(at + 1, end - at - 1);
    std::erase(out, '\r');
    at = end + 1;
    return out;
  }
  for (++at; at < text.size() && text[at] != '"';) {
    if (text[at] == '\n') break;
    if (text[at] != '\\') {
      out.push_back(text[at++]);
    } else if (Status s = consume_escape(text, ++at, out); !s) {
      return s.error();
    }
  }
  if (at >= text.size() || text[at] != '"') return string_fault("unterminated quoted string");
  ++at;
  return out;
}

}  // namespace statmill::rules
