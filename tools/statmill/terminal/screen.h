// Screen: a picture of characters with styles, and the bytes that make a terminal show it.
//
// Everything here is pure. Programs draw a whole screen each time; paint() sends only what differs from the
// screen before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace statmill {

// The colors are those of the terminal's theme.
enum class Color : uint8_t { kDefault, kRed, kGreen, kYellow, kBlue, kMagenta, kCyan };

struct Style {
  Color color = Color::kDefault;
  bool is_bold = false;
  bool is_dim = false;
  bool is_reverse = false;

  bool operator==(const Style&) const = default;
};

struct Cell {
  char32_t code = U' ';  // 0 in the second column of a wide character
  Style style = {};

  bool operator==(const Cell&) const = default;
};

class Screen {
 public:
  // Requires: neither is negative.
  Screen(int rows, int columns);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  // Requires: the place is on the screen.
  const Cell& at(int row, int column) const { return cells_[index(row, column)]; }

  // Writes the text (as glyphs() of text_cells.h shows it) from a place on; what lies outside of the screen
  // is cut. Returns the column after the text.
  int put(int row, int column, std::string_view text, Style style = {});
  // The same, so that the text ends before `end`.
  void put_right(int row, int end, std::string_view text, Style style = {});
  void set(int row, int column, char32_t code, Style style);
  // Changes the style of the whole row, but keeps colors.
  void reverse_row(int row);
  void remove_colors();

  bool operator==(const Screen&) const = default;

 private:
  size_t index(int row, int column) const {
    return static_cast<size_t>(row) * static_cast<size_t>(columns_) + static_cast<size_t>(column);
  }
  void clear_wide(int row, int column);

  int rows_;
  int columns_;
  std::vector<Cell> cells_;
};

// Returns the bytes that change a terminal which shows `before` to `after`. If the sizes differ, everything
// is painted. The terminal's style is the default one before and after.
std::string paint(const Screen& before, const Screen& after);

// Returns the bytes that paint the whole screen, whatever the terminal shows.
std::string paint_all(const Screen& screen);

// Returns the screen as lines without trailing blanks, with colors or without any escape sequence.
std::string as_lines(const Screen& screen, bool in_color);

}  // namespace statmill
