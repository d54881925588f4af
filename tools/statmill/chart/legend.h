// A chart of a query's answer with what a reader needs next to it: a title, and a row per series.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/statmill/answer.h"
#include "tools/statmill/chart/chart.h"

namespace statmill {

// Nobody can follow more lines than this.
constexpr size_t kChartLinesMax = 12;

// Returns the statistics that a chart of `stat` asks for, as the API's parameter; empty if `stat` is not a
// single statistic.
std::string chart_stats(std::string_view stat);

// Returns the most points that a chart of so many columns can show.
int64_t points_of_chart(int columns);

struct LegendRow {
  std::string name;
  char mark = ' ';  // at the line's end, where colors do not tell the lines apart
  Color color = Color::kDefault;
  std::vector<std::string> numbers;  // last, avg, min, max
};

struct ChartPage {
  std::string title;
  Chart chart;
  std::vector<LegendRow> legend;
};

struct ChartStyle {
  bool in_color = true;
};

// Returns the chart of an answer to a query for chart_stats(stat), at most kChartLinesMax series: those with
// the largest maxima.
ChartPage chart_page(const QueryResult& result, std::string_view stat, const ChartStyle& style);

// Draws the title, the chart and below it as much of the legend as leaves the chart most of the area.
void draw_chart_page(Screen& screen, const Area& area, const ChartPage& page, const Zone& zone);

}  // namespace statmill
