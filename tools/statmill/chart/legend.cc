#include "tools/statmill/chart/legend.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/text.h"
#include "tools/statmill/terminal/text_cells.h"

namespace statmill {
namespace {

constexpr std::array<Color, 6> kColors = {Color::kCyan,  Color::kYellow, Color::kMagenta,
                                          Color::kGreen, Color::kBlue,   Color::kRed};
constexpr std::array<const char*, 4> kNumberTitles = {"last", "avg", "min", "max"};
constexpr int kNumberColumns = 13;  // width of each number in the legend
constexpr int kNameColumnsMin = 8;

const Values& column(const SeriesColumns& series, std::string_view stat) {
  static const Values none;
  const auto found = std::find_if(series.columns.begin(), series.columns.end(),
                                  [&](const auto& c) { return c.first == stat; });
  return found != series.columns.end() ? found->second : none;
}

std::optional<double> largest(const Values& values) {
  std::optional<double> out;
  for (const std::optional<double>& v : values)
    if (v && (!out || *v > *out)) out = v;
  return out;
}

std::optional<double> smallest(const Values& values) {
  std::optional<double> out;
  for (const std::optional<double>& v : values)
    if (v && (!out || *v < *out)) out = v;
  return out;
}

// Returns the average over the range: of samples, or of the slots' rates of events; of the slots if there
// are no counts.
std::optional<double> average(const Values& averages, const Values& counts) {
  double sum = 0;
  double count = 0;
  for (size_t i = 0; i < averages.size(); ++i) {
    const std::optional<double> weight = i < counts.size() ? counts[i] : counts.empty() ? 1 : 0;
    if (!averages[i] || !weight) continue;
    sum += *averages[i] * *weight;
    count += *weight;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::string number_of(const std::optional<double>& value, const Unit& unit) {
  return value ? unit_text(*value, unit) : "-";
}

bool is_percentile(std::string_view stat) { return stat.size() > 1 && stat[0] == 'p'; }

// Returns true if the statistic lies between the minimum and the maximum.
bool lies_in_band(std::string_view stat, std::string_view kind) {
  return stat == "avg" || stat == "min" || stat == "max" || is_percentile(stat) ||
         (stat == "rate" && kind == "event");
}

Unit common_unit(const std::vector<const SeriesColumns*>& series, std::string_view stat) {
  if (series.empty()) return {};
  const Unit unit = unit_of(series.front()->unit, series.front()->kind, stat);
  const bool is_common = std::all_of(series.begin(), series.end(), [&](const SeriesColumns* s) {
    return unit_of(s->unit, s->kind, stat) == unit;
  });
  return is_common ? unit : Unit{};
}

// Returns the series with the largest maxima, by name.
std::vector<const SeriesColumns*> drawn_series(const QueryResult& result, std::string_view stat) {
  std::vector<const SeriesColumns*> out;
  out.reserve(result.series.size());
  for (const SeriesColumns& series : result.series) out.push_back(&series);
  if (out.size() <= kChartLinesMax) return out;
  const auto highest = [&](const SeriesColumns* s) { return largest(column(*s, stat)).value_or(-HUGE_VAL); };
  std::stable_sort(out.begin(), out.end(),
                   [&](const auto* a, const auto* b) { return highest(a) > highest(b); });
  out.resize(kChartLinesMax);
  std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  return out;
}

LegendRow legend_row(const SeriesColumns& series, std::string_view stat) {
  const Values& line = column(series, stat);
  const Unit unit = unit_of(series.unit, series.kind, stat);
  const Unit value_unit = unit_of(series.unit, series.kind, "avg");
  // A result of an expression may have no other column.
  const auto or_line = [&](std::string_view name) -> const Values& {
    const Values& found = column(series, name);
    return found.empty() ? line : found;
  };
  const auto last = std::find_if(line.rbegin(), line.rend(), [](const auto& v) { return v.has_value(); });
  return {.name = series.name,
          .numbers = {number_of(last != line.rend() ? *last : std::nullopt, unit),
                      number_of(average(or_line("avg"), column(series, "count")), value_unit),
                      number_of(smallest(or_line("min")), value_unit),
                      number_of(largest(or_line("max")), value_unit)}};
}

}  // namespace

std::string chart_stats(std::string_view stat) {
  if (stat.empty() || stat.find_first_of(", ") != std::string_view::npos) return {};
  std::string out(stat);
  for (const std::string_view other : {"avg", "min", "max", "count"}) {
    if (stat != other) out.append(",").append(other);
  }
  return out;
}

int64_t points_of_chart(int columns) {
  constexpr int kAxisColumns = 10;
  return 2 * std::max(columns - kAxisColumns, 10);
}

ChartPage chart_page(const QueryResult& result, std::string_view stat, const ChartStyle& style) {
  const std::vector<const SeriesColumns*> series = drawn_series(result, stat);
  ChartPage out;
  out.chart = {result.from_s, result.until_s, common_unit(series, stat), {}};
  const bool has_marks = series.size() > (style.in_color ? kColors.size() : 1);
  bool has_band = false;
  for (const SeriesColumns* s : series) {
    const size_t i = out.legend.size();
    LegendRow& row = out.legend.emplace_back(legend_row(*s, stat));
    row.color = kColors.at(i % kColors.size());
    if (has_marks) row.mark = static_cast<char>('A' + i);
    ChartLine line{.line = column(*s, stat), .color = row.color, .mark = has_marks ? row.mark : '\0'};
    if (lies_in_band(stat, s->kind)) {
      line.low = column(*s, "min");
      line.high = column(*s, "max");
      has_band |= !line.low.empty();
    }
    out.chart.lines.push_back(std::move(line));
  }
  out.title = std::string(stat) + (has_band ? " (dots: min to max)" : "") + " · " +
              format_duration(std::chrono::seconds(result.step_s)) + " a point";
  return out;
}

void draw_chart_page(Screen& screen, const Area& area, const ChartPage& page, const Zone& zone) {
  const int legend_rows =
      std::clamp(static_cast<int>(page.legend.size()), 0, std::max(1, (area.rows - 2) / 2));
  const int chart_rows = area.rows - 2 - legend_rows;
  const std::string from = local_text(page.chart.from_s, zone);
  screen.put(area.row, area.column,
             shorten(page.title + " · from " + from.substr(0, 16), static_cast<size_t>(area.columns)),
             {.is_dim = true});
  draw_chart(screen, {area.row + 1, area.column, chart_rows, area.columns}, page.chart, zone);

  int longest = kNameColumnsMin;
  for (const LegendRow& row : page.legend)
    longest = std::max(longest, static_cast<int>(display_width(row.name)));
  const int names = std::min(longest, area.columns / 2);
  const int shown =
      std::clamp((area.columns - 2 - names) / kNumberColumns, 0, static_cast<int>(kNumberTitles.size()));
  const int names_end = area.columns - shown * kNumberColumns;
  const int header = area.row + 1 + chart_rows;
  for (int n = 0; n < shown; ++n) {
    screen.put_right(header, area.column + names_end + (n + 1) * kNumberColumns,
                     kNumberTitles.at(static_cast<size_t>(n)), {.is_dim = true});
  }
  for (int i = 0; i < legend_rows; ++i) {
    const LegendRow& row = page.legend[static_cast<size_t>(i)];
    const int at = header + 1 + i;
    screen.put(at, area.column, row.mark == ' ' ? "━" : std::string(1, row.mark),
               {.color = row.color, .is_bold = true});
    screen.put(at, area.column + 2, shorten(row.name, static_cast<size_t>(names_end - 2)));
    for (int n = 0; n < shown; ++n) {
      screen.put_right(at, area.column + names_end + (n + 1) * kNumberColumns,
                       row.numbers[static_cast<size_t>(n)]);
    }
  }
}

}  // namespace statmill
