#include "tools/statmill/terminal/screen.h"

#include "tools/statmill/terminal/text_cells.h"

namespace statmill {
namespace {

void append_style(std::string& out, const Style& style) {
  out.append("\x1b[0");
  if (style.is_bold) out.append(";1");
  if (style.is_dim) out.append(";2");
  if (style.is_reverse) out.append(";7");
  if (style.color != Color::kDefault) out.append(";3").append(std::to_string(static_cast<int>(style.color)));
  out.push_back('m');
}

void append_position(std::string& out, int row, int column) {
  out.append("\x1b[").append(std::to_string(row + 1)).append(";").append(std::to_string(column + 1));
  out.push_back('H');
}

// Appends cells, and changes of style between them.
class CellWriter {
 public:
  explicit CellWriter(std::string& out) : out_(out) {}

  // Returns to the default style.
  void finish() {
    if (style_ != Style()) append_style(out_, Style());
    style_ = {};
  }
  void write(const Cell& cell) {
    if (cell.code == 0) return;  // the character before fills this column, too
    if (cell.style != style_) append_style(out_, cell.style);
    style_ = cell.style;
    append_utf8(out_, cell.code);
  }

 private:
  std::string& out_;
  Style style_;
};

}  // namespace

Screen::Screen(int rows, int columns)
    : rows_(rows), columns_(columns), cells_(static_cast<size_t>(rows) * static_cast<size_t>(columns)) {}

// Replaces a wide character of which this place is a half.
void Screen::clear_wide(int row, int column) {
  if (at(row, column).code == 0 && column > 0) cells_[index(row, column - 1)].code = U' ';
  if (column + 1 < columns_ && at(row, column + 1).code == 0) cells_[index(row, column + 1)].code = U' ';
}

void Screen::set(int row, int column, char32_t code, Style style) {
  if (row < 0 || row >= rows_ || column < 0 || column >= columns_) return;
  clear_wide(row, column);
  cells_[index(row, column)] = {code, style};
}

int Screen::put(int row, int column, std::string_view text, Style style) {
  for (const Glyph& glyph : glyphs(text)) {
    const bool is_whole = column >= 0 && column + glyph.columns <= columns_;
    if (is_whole && glyph.columns == 2) set(row, column + 1, U' ', style);
    if (is_whole) set(row, column, glyph.code, style);
    if (is_whole && glyph.columns == 2 && row >= 0 && row < rows_) cells_[index(row, column + 1)].code = 0;
    column += glyph.columns;
  }
  return column;
}

void Screen::put_right(int row, int end, std::string_view text, Style style) {
  put(row, end - static_cast<int>(display_width(text)), text, style);
}

void Screen::reverse_row(int row) {
  if (row < 0 || row >= rows_) return;
  for (int column = 0; column < columns_; ++column) cells_[index(row, column)].style.is_reverse = true;
}

void Screen::remove_colors() {
  for (Cell& cell : cells_) cell.style.color = Color::kDefault;
}

std::string paint(const Screen& before, const Screen& after) {
  if (before.rows() != after.rows() || before.columns() != after.columns()) return paint_all(after);
  std::string out;
  CellWriter writer(out);
  for (int row = 0; row < after.rows(); ++row) {
    int written_to = -1;  // the cursor's column, if it is known to be in this row
    for (int column = 0; column < after.columns(); ++column) {
      // A wide character is painted whole, from its first column.
      const bool has_half = column + 1 < after.columns() && after.at(row, column + 1).code == 0;
      const bool differs = before.at(row, column) != after.at(row, column) ||
                           (has_half && before.at(row, column + 1) != after.at(row, column + 1));
      if (!differs || after.at(row, column).code == 0) continue;
      if (written_to != column) append_position(out, row, column);
      writer.write(after.at(row, column));
      written_to = column + (has_half ? 2 : 1);
    }
  }
  writer.finish();
  return out;
}

std::string paint_all(const Screen& screen) {
  std::string out = "\x1b[0m\x1b[2J";
  return out + paint(Screen(screen.rows(), screen.columns()), screen);
}

std::string as_lines(const Screen& screen, bool in_color) {
  std::string out;
  for (int row = 0; row < screen.rows(); ++row) {
    int end = screen.columns();
    while (end > 0 && screen.at(row, end - 1).code == U' ' &&
           !(in_color && screen.at(row, end - 1).style.is_reverse))
      --end;
    CellWriter writer(out);
    for (int column = 0; column < end; ++column) {
      Cell cell = screen.at(row, column);
      if (!in_color) cell.style = {};
      writer.write(cell);
    }
    writer.finish();
    out.push_back('\n');
  }
  return out;
}

}  // namespace statmill
