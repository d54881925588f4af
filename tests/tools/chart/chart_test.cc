// Charts as text: goldens at several widths.
#include "tools/statmill/chart/chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace statmill {
namespace {

const Zone kChartZone = [](int64_t) { return ZoneOffset(); };
constexpr int64_t kNoon = 1'795'435'200;  // 2026-11-23 12:00 UTC

std::string drawn(const Chart& chart, int rows, int columns) {
  Screen screen(rows, columns);
  draw_chart(screen, {0, 0, rows, columns}, chart, kChartZone);
  return "\n" + as_lines(screen, false);
}

Chart ramp(size_t slots) {
  Chart chart{kNoon, kNoon + 3600, {Unit::Kind::kPercent}, {ChartLine{}}};
  for (size_t i = 0; i < slots; ++i)
    chart.lines[0].line.emplace_back(100.0 * static_cast<double>(i) / static_cast<double>(slots - 1));
  return chart;
}

TEST(Chart, DrawsARampAtSeveralWidths) {
  EXPECT_EQ(drawn(ramp(60), 8, 40), R"(
100 % ┤                            ⣀⠤⠔⠊⠉
      │                      ⣀⡠⠔⠒⠉⠉
 50 % ┤                ⢀⣀⠤⠒⠊⠉
      │           ⣀⠤⠔⠊⠉⠁
      │    ⢀⣀⡠⠤⠒⠉⠉
  0 % ┤⣀⠤⠒⠊⠁
      └┬───────────────┬────────────────
  UTC 12:00          12:30
)");
  EXPECT_EQ(drawn(ramp(60), 8, 24), R"(
100 % ┤              ⣀⠴⠋
      │           ⣀⠔⠊⠁
 50 % ┤        ⢀⡴⠊⠁
      │     ⢀⠤⠊⠁
      │  ⢀⡤⠚⠁
  0 % ┤⡠⠚⠁
      └┬───────┬────────
  UTC 12:00  12:30
)");
  EXPECT_EQ(drawn(ramp(6), 6, 80), R"(
100 % ┤                                                ⢀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡸⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉
      │                                    ⢠⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠜
      │                        ⡖⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠊
  0 % ┤⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⠏⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉
      └┬───────────┬───────────┬───────────┬───────────┬───────────┬────────────
  UTC 12:00      12:10       12:20       12:30       12:40       12:50
)");
}

TEST(Chart, LeavesGapsEmptyAndDrawsTheBand) {
  Chart chart = ramp(10);
  ChartLine& line = chart.lines[0];
  line.line[4] = line.line[5] = std::nullopt;
  line.low = line.high = line.line;
  for (size_t i = 0; i < line.line.size(); ++i) {
    if (!line.line[i]) continue;
    line.low[i] = 0;
    line.high[i] = 100;
  }
  EXPECT_EQ(drawn(chart, 8, 40), R"(
100 % ┤⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪      ⠨⡪⡪⡪⡪⡪⡪⣀⣀⣀⡸⠉⠉⠉
      │⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪      ⠨⡪⡪⡪⡖⠒⠒⠁⡪⡪⡪⡪⡪⡪
 50 % ┤⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪      ⠈⠉⠉⠉⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪
      │⡪⡪⡪⡪⡪⡪⡪⡪⡪⢀⣀⣀⣀      ⠨⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪
      │⡪⡪⡪⡪⡪⡪⢠⠤⠤⠜⡪⡪⡪      ⠨⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪
  0 % ┤⣀⣀⣀⠏⠉⠉⠁⡪⡪⡪⡪⡪⡪      ⠨⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪⡪
      └┬───────────────┬────────────────
  UTC 12:00          12:30
)");
}

TEST(Chart, MarksLinesWhereTheyEnd) {
  Chart chart = ramp(20);
  chart.lines[0].mark = 'A';
  chart.lines.push_back(ChartLine{.line = Values(20, 100.0), .mark = 'B'});
  chart.lines.push_back(ChartLine{.line = Values(20), .mark = 'C'});
  EXPECT_EQ(drawn(chart, 6, 30), R"(
100 % ┤⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⢉⡩⠭⠝⠋⠉ A
      │          ⢀⡠⠤⠔⠊⠁      B
      │     ⣀⠤⠒⠒⠉⠁
  0 % ┤⣀⠤⠒⠒⠉
      └┬─────────┬──────────
  UTC 12:00    12:30
)");
}

TEST(Chart, WithoutValuesHasOnlyAxes) {
  Chart chart = ramp(5);
  chart.lines[0].line.assign(5, std::nullopt);
  EXPECT_EQ(drawn(chart, 5, 30), R"(
1 % ┤
    │
0 % ┤
    └┬───────────┬────────────
UTC 12:00      12:30
)");
}

// The dots of a screen, each as its (column, row) from the top left.
bool has_dot(const Screen& screen, int x, int y) {
  constexpr unsigned kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  const char32_t code = screen.at(y / 4, x / 2).code;
  return code >= 0x2800 && code <= 0x28ff && ((code - 0x2800) & kBits[y % 4][x % 2]) != 0;
}

TEST(Chart, DrawsEachValueOfMoreSlotsThanDots) {
  Chart chart{0, 10'000, {}, {ChartLine{.line = Values(10'000, 0.0)}}};
  chart.lines[0].line[5'000] = 100;  // one slot among 200 of the same column
  Screen screen(10, 40);
  draw_chart(screen, {0, 0, 10, 40}, chart, kChartZone);
  int highest = 0;
  for (int x = 12; x < 80; ++x) highest += has_dot(screen, x, 0) ? 1 : 0;
  EXPECT_EQ(highest, 1);
}

TEST(Chart, StaysInItsAreaWhateverTheValues) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const Values& values : {Values{inf, -inf, NAN, 1.0}, Values{1e308, -1e308}, Values{5e-324, 0.0},
                               Values{0.1, 0.1 + 1e-17}, Values{-7.0}, Values{}}) {
    for (int columns = 0; columns < 60; columns += 7) {
      for (int rows = 0; rows < 12; ++rows) {
        Screen screen(20, 80);
        Chart chart{
            kNoon, kNoon + 60, {}, {ChartLine{.line = values, .low = values, .high = values, .mark = 'A'}}};
        draw_chart(screen, {4, 10, rows, columns}, chart, kChartZone);
        for (int row = 0; row < 20; ++row) {
          for (int column = 0; column < 80; ++column) {
            const bool is_inside = row >= 4 && row < 4 + rows && column >= 10 && column < 10 + columns + 1;
            ASSERT_TRUE(is_inside || screen.at(row, column).code == U' ') << row << " " << column;
          }
        }
      }
    }
  }
}

TEST(Sparkline, HasABlockPerValue) {
  EXPECT_EQ(sparkline({0.0, 50.0, 100.0, std::nullopt, 200.0, NAN}, 0, 100), "▁▅█ █ ");
  EXPECT_EQ(sparkline({3.0, 3.0}, 3, 3), "▁▁");
}

}  // namespace
}  // namespace statmill
