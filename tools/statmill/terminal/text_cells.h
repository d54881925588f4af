// Text on a terminal: how many columns it is wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace statmill {

// A character and the number of columns that it fills: 1, or 2 for East Asian characters and pictures.
struct Glyph {
  char32_t code = U' ';
  int columns = 1;
};

// Splits visible(text) of base/visible.h into its characters.
std::vector<Glyph> glyphs(std::string_view text);

// Returns the number of columns of visible(text).
size_t display_width(std::string_view text);

// Returns visible(text) if it fits into `columns`, otherwise its begin and an ellipsis.
std::string shorten(std::string_view text, size_t columns);

void append_utf8(std::string& out, char32_t code);

}  // namespace statmill
