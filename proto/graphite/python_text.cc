#include "proto/graphite/python_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace statmill {
namespace {

std::optional<uint32_t> hex_value(std::string_view digits) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
  return is_whole ? std::optional(value) : std::nullopt;
}

// Writes the UTF-8 of a code point, at most four bytes. A surrogate becomes bytes that are not valid UTF-8.
char* put_utf8(uint32_t code, char* at) {
  const auto put = [&](uint32_t byte) { *at++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
  return at;
}

// Returns the byte that a backslash and this letter mean in a Python 2 string; nullopt if they are no escape.
std::optional<char> escaped_byte(char letter) {
  constexpr std::string_view kLetters = "\\'\"abfnrtv";
  constexpr std::string_view kBytes = "\\'\"\a\b\f\n\r\t\v";
  const size_t at = kLetters.find(letter);
  return at == std::string_view::npos ? std::nullopt : std::optional(kBytes[at]);
}

}  // namespace

std::optional<std::string_view> python2_string(std::string_view text, Batch& batch) {
  if (text.find('\\') == std::string_view::npos) return text;
  char* const begin = batch.room(text.size());
  char* to = begin;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      *to++ = text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    if (text[i] == 'x') {
      const auto value = hex_value(text.substr(i + 1, 2));
      if (!value || text.size() - i < 3) return std::nullopt;
      *to++ = static_cast<char>(*value);
      i += 2;
    } else {
      const auto byte = escaped_byte(text[i]);
      if (!byte) return std::nullopt;
      *to++ = *byte;
    }
  }
  return std::string_view(begin, static_cast<size_t>(to - begin));
}

std::optional<std::string_view> raw_unicode(std::string_view text, Batch& batch) {
  const auto is_plain = [](char c) { return c != '\\' && static_cast<uint8_t>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_plain)) return text;
  char* const begin = batch.room(2 * text.size());  // a Latin-1 byte may become two; an escape gets shorter
  char* to = begin;
  for (size_t i = 0; i < text.size(); ++i) {
    uint32_t code = static_cast<uint8_t>(text[i]);
    const char letter = code == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    if (letter == 'u' || letter == 'U') {
      const size_t digits = letter == 'u' ? 4 : 8;
      const auto value = hex_value(text.substr(i + 2, digits));
      if (!value || text.size() - i < digits + 2 || *value > 0x10ffff) return std::nullopt;
      code = *value;
      i += digits + 1;
    }
    to = put_utf8(code, to);
  }
  return std::string_view(begin, static_cast<size_t>(to - begin));
}

}  // namespace statmill
