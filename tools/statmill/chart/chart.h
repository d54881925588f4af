// A chart of series over time, in braille dots: two columns and four rows of dots per character.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/statmill/chart/axis.h"
#include "tools/statmill/chart/units.h"
#include "tools/statmill/terminal/screen.h"

namespace statmill {

using Values = std::vector<std::optional<double>>;  // one per slot, nullopt where the slot is empty

struct ChartLine {
  Values line;
  Values low = {};  // with `high`, a band; empty: none
  Values high = {};
  Color color = Color::kDefault;
  char mark = '\0';  // shown at the end of the line; 0: none
};

struct Chart {
  int64_t from_s = 0;
  int64_t until_s = 0;
  Unit unit;
  std::vector<ChartLine> lines;
};

struct Area {
  int row = 0;
  int column = 0;
  int rows = 0;
  int columns = 0;
};

// The least that a chart needs.
constexpr int kChartRowsMin = 4;
constexpr int kChartColumnsMin = 24;

// Draws the chart with its axes. Each value fills the whole of its slot, and adjacent slots are connected;
// an empty slot stays empty. A band is a pattern of every second dot. With more slots than columns of dots,
// all their values are drawn. A smaller area than the least stays empty.
void draw_chart(Screen& screen, const Area& area, const Chart& chart, const Zone& zone);

// Returns one character per value, from the lowest block to the highest, a blank where there is none.
// `low` and `high` are the ends of the scale.
std::string sparkline(const Values& values, double low, double high);

}  // namespace statmill
