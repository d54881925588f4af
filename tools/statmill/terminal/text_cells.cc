#include "tools/statmill/terminal/text_cells.h"

#include <algorithm>
#include <array>

#include "base/hidden_characters.h"
#include "base/text.h"
#include "base/visible.h"

namespace statmill {
namespace {

struct Interval {
  char32_t first;
  char32_t last;
};

// The blocks of Unicode's EastAsianWidth that are wide.
constexpr std::array<Interval, 17> kWide = {{{0x1100, 0x115f},
                                             {0x2e80, 0x303e},
                                             {0x3041, 0x33ff},
                                             {0x3400, 0x4dbf},
                                             {0x4e00, 0x9fff},
                                             {0xa000, 0xa4cf},
                                             {0xa960, 0xa97f},
                                             {0xac00, 0xd7a3},
                                             {0xf900, 0xfaff},
                                             {0xfe30, 0xfe6f},
                                             {0xff00, 0xff60},
                                             {0xffe0, 0xffe6},
                                             {0x1f300, 0x1f64f},
                                             {0x1f680, 0x1f6ff},
                                             {0x1f900, 0x1f9ff},
                                             {0x1fa70, 0x1faff},
                                             {0x20000, 0x3fffd}}};

template <size_t kCount>
bool is_in(const std::array<Interval, kCount>& intervals, char32_t code) {
  return std::any_of(intervals.begin(), intervals.end(),
                     [&](const Interval& i) { return i.first <= code && code <= i.last; });
}

}  // namespace

void append_utf8(std::string& out, char32_t code) {
  const auto add = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  const auto rest = [&](unsigned shift) { add(0x80U | (code >> shift & 0x3fU)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0U | code >> 6U), rest(0);
  } else if (code < 0x10000) {
    add(0xe0U | code >> 12U), rest(6), rest(0);
  } else {
    add(0xf0U | code >> 18U), rest(12), rest(6), rest(0);
  }
}

std::vector<Glyph> glyphs(std::string_view text) {
  const std::string shown = visible(text);
  std::vector<Glyph> out;
  for (std::string_view rest = shown; !rest.empty();) {
    const std::string_view sequence = rest.substr(0, utf8_length(rest));
    const char32_t code = code_point_of(sequence);
    out.push_back({code, is_in(kWide, code) ? 2 : 1});
    rest.remove_prefix(sequence.size());
  }
  return out;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (const Glyph& glyph : glyphs(text)) width += static_cast<size_t>(glyph.columns);
  return width;
}

std::string shorten(std::string_view text, size_t columns) {
  const std::vector<Glyph> all = glyphs(text);
  size_t width = 0;
  for (const Glyph& glyph : all) width += static_cast<size_t>(glyph.columns);
  std::string out;
  if (width <= columns) {
    for (const Glyph& glyph : all) append_utf8(out, glyph.code);
    return out;
  }
  if (columns == 0) return out;
  size_t used = 1;  // the ellipsis
  for (const Glyph& glyph : all) {
    used += static_cast<size_t>(glyph.columns);
    if (used > columns) break;
    append_utf8(out, glyph.code);
  }
  return out + "…";
}

}  // namespace statmill
