// SmallTerminal: shows what a program writes to a terminal, as far as tools/statmill/terminal writes.
#pragma once

#include <string_view>

#include "tools/statmill/terminal/screen.h"

namespace statmill {

// Wraps and scrolls nothing: text beyond the last column is a fault, as is any other escape sequence.
class SmallTerminal {
 public:
  SmallTerminal(int rows, int columns) : screen_(rows, columns) {}

  void write(std::string_view bytes);

  const Screen& screen() const { return screen_; }
  bool is_alternate() const { return is_alternate_; }
  bool is_cursor_shown() const { return is_cursor_shown_; }
  // The escape sequences that it does not know, and text outside of the screen.
  int faults() const { return faults_; }

 private:
  void run_sequence(std::string_view parameters, char final);
  void set_style(std::string_view parameters);

  Screen screen_;
  Style style_;
  int row_ = 0;
  int column_ = 0;
  bool is_alternate_ = false;
  bool is_cursor_shown_ = true;
  int faults_ = 0;
};

}  // namespace statmill
