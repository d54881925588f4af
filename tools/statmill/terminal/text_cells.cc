#include "tools/statmill/terminal/text_cells.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

#include "base/hidden_characters.h"
#include "base/text.h"

namespace statmill {
namespace {

struct Interval {
  char32_t first;
  char32_t last;
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

// Requires: `bytes` is one valid UTF-8 sequence.
char32_t decode(std::string_view bytes) {
  const auto byte = [&](size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(bytes[i])); };
  if (bytes.size() == 1) return byte(0);
  char32_t code = byte(0) & (0x7fU >> bytes.size());
  for (size_t i = 1; i < bytes.size(); ++i) code = code << 6U | (byte(i) & 0x3fU);
  return code;
}

void append_escape(std::vector<Glyph>& out, const char* format, unsigned value) {
  std::array<char, 16> text{};
  const int size = std::snprintf(text.data(), text.size(), format, value);
  std::transform(text.begin(), text.begin() + size, std::back_inserter(out), [](char c) {
    return Glyph{static_cast<char32_t>(c), 1};
  });
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
  std::vector<Glyph> out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) {
      append_escape(out, "<x%02X>", static_cast<unsigned char>(text.front()));
    } else {
      const char32_t code = decode(text.substr(0, length));
      if (is_in(kInvisible, code) || is_hidden_character(code)) {
        append_escape(out, "<U+%04X>", static_cast<unsigned>(code));
      } else {
        out.push_back({code, is_in(kWide, code) ? 2 : 1});
      }
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string visible(std::string_view text) {
  std::string out;
  for (const Glyph& glyph : glyphs(text)) append_utf8(out, glyph.code);
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
