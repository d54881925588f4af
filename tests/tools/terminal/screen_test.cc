#include "tools/statmill/terminal/screen.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/tools/terminal/small_terminal.h"

namespace statmill {
namespace {

TEST(Screen, CutsWhatIsOutside) {
  Screen screen(1, 5);
  EXPECT_EQ(screen.put(0, 3, "abc"), 6);
  screen.put(0, -1, "xyz");
  screen.put(1, 0, "below");
  screen.put_right(0, 3, "!");
  EXPECT_EQ(as_lines(screen, false), "yz!ab\n");
}

TEST(Screen, NeverShowsHalfOfAWideCharacter) {
  Screen screen(1, 4);
  screen.put(0, 0, "负载");
  screen.put(0, 1, "x");
  EXPECT_EQ(as_lines(screen, false), " x载\n");
  screen.put(0, 3, "负");
  EXPECT_EQ(as_lines(screen, false), " x载\n") << "it does not fit";
}

TEST(Screen, AsLinesHasColorsOnRequest) {
  Screen screen(2, 8);
  screen.put(0, 0, "a", {.color = Color::kRed, .is_bold = true});
  screen.put(0, 1, "b ");
  EXPECT_EQ(as_lines(screen, true), "\x1b[0;1;31ma\x1b[0mb\n\n");
  EXPECT_EQ(as_lines(screen, false), "ab\n\n");
}

TEST(Paint, SendsOnlyWhatDiffers) {
  Screen before(24, 80);
  before.put(3, 10, "load 1.25");
  Screen after = before;
  EXPECT_EQ(paint(before, after), "");
  after.put(3, 15, "1.35");
  EXPECT_EQ(paint(before, after), "\x1b[4;18H3");
}

Screen random_screen(std::mt19937_64& random, int rows, int columns) {
  static const std::vector<std::string> texts = {"a", "bc", "负", "载x", "⣿", "\x1b[31m", " ", "ü"};
  Screen out(rows, columns);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<uint64_t>(limit)); };
  for (int i = below(30); i > 0; --i) {
    out.put(below(rows), below(columns), texts[static_cast<size_t>(below(static_cast<int>(texts.size())))],
            {.color = static_cast<Color>(below(7)),
             .is_bold = below(2) == 0,
             .is_dim = below(2) == 0,
             .is_reverse = below(2) == 0});
  }
  return out;
}

TEST(Paint, MakesATerminalShowEachScreen) {
  std::mt19937_64 random(11);
  for (int run = 0; run < 2000; ++run) {
    SmallTerminal terminal(5, 9);
    Screen shown(5, 9);
    terminal.write(paint_all(shown));
    for (int frame = 0; frame < 4; ++frame) {
      Screen next = frame % 2 == 0 ? random_screen(random, 5, 9) : shown;
      if (frame % 2 != 0) next.put(static_cast<int>(random() % 5), static_cast<int>(random() % 9), "负z");
      terminal.write(paint(shown, next));
      ASSERT_EQ(as_lines(terminal.screen(), true), as_lines(next, true)) << run;
      ASSERT_EQ(terminal.faults(), 0);
      shown = next;
    }
  }
}

}  // namespace
}  // namespace statmill
