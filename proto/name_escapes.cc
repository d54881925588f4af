#include "proto/name_escapes.h"

#include <algorithm>

#include "base/hidden_characters.h"
#include "base/text.h"

namespace statmill {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";
constexpr std::string_view kNameKey = "name";

// Returns the value of a hex digit, -1 for any other byte.
int hex_value(char c) {
  if ('0' <= c && c <= '9') return c - '0';
  if ('A' <= c && c <= 'F') return c - 'A' + 10;
  if ('a' <= c && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Returns true if `text` has a % with two hex digits at `at`.
bool is_escape(std::string_view text, size_t at) {
  return text[at] == '%' && at + 2 < text.size() && hex_value(text[at + 1]) >= 0 &&
         hex_value(text[at + 2]) >= 0;
}

void append_escaped(std::string& out, char c) {
  const auto byte = static_cast<uint8_t>(c);
  out += '%';
  out += kHexDigits[byte >> 4];
  out += kHexDigits[byte & 15];
}

// Returns the bytes that a part must escape and other parts need not.
std::string_view special_of(NamePart part) { return part == NamePart::kKey ? ";!^=" : ";"; }

bool is_control(char c) { return static_cast<uint8_t>(c) < 33 || c == 127; }

// Returns true if the part may differ from its canonical spelling. Requires: valid UTF-8.
bool may_need_escape(std::string_view text, NamePart part) {
  if (text.starts_with('~') || (part == NamePart::kKey && text == kNameKey)) return true;
  const std::string_view special = special_of(part);
  return std::any_of(text.begin(), text.end(), [special](char c) {
    return c == '%' || is_control(c) || special.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string escaped(std::string_view text, NamePart part) {
  if (part == NamePart::kKey && text == kNameKey) return "%6Eame";
  const std::string_view special = special_of(part);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text.substr(i));
    if (length > 1) {
      out.append(text, i, length);
      i += length;
      continue;
    }
    const bool is_odd = length == 0 || is_control(text[i]);
    if (is_odd || special.find(text[i]) != std::string_view::npos || is_escape(text, i) ||
        (i == 0 && text[i] == '~')) {
      append_escaped(out, text[i]);
    } else {
      out += text[i];
    }
    ++i;
  }
  return out;
}

std::string escaped_path(std::string_view path) { return escaped(path, NamePart::kPath); }
std::string escaped_value(std::string_view value) { return escaped(value, NamePart::kValue); }
std::string escaped_key(std::string_view key) { return escaped(key, NamePart::kKey); }

bool has_escape(std::string_view text) {
  for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (is_escape(text, at)) return true;
  }
  return false;
}

std::string unescaped(std::string_view text) {
  if (text.find('%') == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_escape(text, i)) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

Verdict<Refusal> spell_part(std::string_view text, NamePart part, Batch& batch, std::string_view& spelled) {
  spelled = text;
  if (!may_need_escape(text, part)) return kAccepted;
  const std::string plain = unescaped(text);
  if (has_hidden_character(plain)) return Refusal::kBadName;
  const std::string spelling = escaped(plain, part);
  if (spelling != text) spelled = batch.keep(spelling);
  return kAccepted;
}

}  // namespace statmill
