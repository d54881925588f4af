#include "base/visible.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "base/hidden_characters.h"
#include "base/text.h"

namespace statmill {
namespace {

struct Interval {
  uint32_t first;
  uint32_t last;
};

// Characters without a column of their own, other than hidden ones: controls, combining marks of the common
// blocks, variation selectors.
constexpr std::array<Interval, 14> kInvisible = {{{0x0, 0x1f},
                                                  {0x7f, 0x7f},
                                                  {0x300, 0x36f},
                                                  {0x483, 0x489},
                                                  {0x591, 0x5bd},
                                                  {0x610, 0x61a},
                                                  {0x64b, 0x65f},
                                                  {0x180b, 0x180d},
                                                  {0x1ab0, 0x1aff},
                                                  {0x1dc0, 0x1dff},
                                                  {0x20d0, 0x20ff},
                                                  {0xfe00, 0xfe0f},
                                                  {0xfe20, 0xfe2f},
                                                  {0xe0000, 0xe0fff}}};

bool is_invisible(uint32_t code_point) {
  return is_hidden_character(code_point) ||
         std::any_of(kInvisible.begin(), kInvisible.end(),
                     [&](const Interval& i) { return i.first <= code_point && code_point <= i.last; });
}

void append_escape(std::string& out, const char* format, unsigned value) {
  std::array<char, 16> text{};
  const int size = std::snprintf(text.data(), text.size(), format, value);
  out.append(text.data(), static_cast<size_t>(size));
}

void append_visible(std::string& out, std::string_view text, bool keeps_line_ends) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
    text.remove_prefix(sequence.size());
    if (length == 0) {
      append_escape(out, "<x%02X>", static_cast<unsigned char>(sequence.front()));
      continue;
    }
    const uint32_t code_point = code_point_of(sequence);
    if (is_invisible(code_point) && !(keeps_line_ends && code_point == '\n')) {
      append_escape(out, "<U+%04X>", code_point);
    } else {
      out.append(sequence);
    }
  }
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  append_visible(out, text, false);
  return out;
}

std::string visible_lines(std::string_view text) {
  std::string out;
  append_visible(out, text, true);
  return out;
}

}  // namespace statmill
