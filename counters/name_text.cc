#include "counters/name_text.h"

#include <algorithm>

namespace statmill {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";
constexpr std::string_view kMarks = "*%#$@&;:";  // have a meaning at the begin of a line

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
  const auto byte = static_cast<unsigned char>(c);
  out.push_back('%');
  out.push_back(kHexDigits[byte >> 4]);
  out.push_back(kHexDigits[byte & 15]);
}

// Returns true if the line port stores the byte as it is, and it has no other meaning in a name.
bool is_plain(char c) {
  if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 127) return false;
  return !('A' <= c && c <= 'Z') && std::string_view("/:\\\"'^").find(c) == std::string_view::npos;
}

}  // namespace

std::string tag_text(std::string_view text, TagPart part) {
  const bool is_key = part == TagPart::kKey;
  if (is_key && text == "name") return "%6Eame";  // a key that means the path
  const std::string_view special = is_key ? ";=!^" : ";";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_odd = static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || (i == 0 && c == '~') ||
                        special.find(c) != std::string_view::npos || is_escape(text, i);
    if (is_odd) {
      append_escaped(out, c);
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string text_of_tag(std::string_view written) {
  std::string out;
  for (size_t i = 0; i < written.size(); ++i) {
    if (is_escape(written, i)) {
      out.push_back(static_cast<char>(hex_value(written[i + 1]) * 16 + hex_value(written[i + 2])));
      i += 2;
    } else {
      out.push_back(written[i]);
    }
  }
  return out;
}

bool is_plain_in_lines(std::string_view name) {
  return !name.empty() && kMarks.find(name.front()) == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), is_plain);
}

std::string name_in_lines(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    if (is_escape(name, i)) {
      out.append(name, i, 3);
      i += 2;
    } else if (is_plain(name[i])) {
      out.push_back(name[i]);
    } else {
      append_escaped(out, name[i]);
    }
  }
  // ^x is a spelling of x that begins with no mark.
  if (!out.empty() && kMarks.find(out.front()) != std::string_view::npos) out.insert(out.begin(), '^');
  return out;
}

}  // namespace statmill
