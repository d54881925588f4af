#include "tools/statmill/chart/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/statmill/terminal/text_cells.h"

namespace statmill {
namespace {

constexpr int kDotColumns = 2;  // per character
constexpr int kDotRows = 4;

// The dots of a chart. Each character has one color, so the line displaces the band in its characters.
class Canvas {
 public:
  Canvas(int rows, int columns)
      : rows_(rows), columns_(columns), cells_(static_cast<size_t>(rows) * static_cast<size_t>(columns)) {}

  int width() const { return columns_ * kDotColumns; }
  int height() const { return rows_ * kDotRows; }

  // Row 0 is the lowest. Requires: the dot is on the canvas.
  void set_line(int x, int y, Color color) {
    Dots& dots = cell(x, y);
    dots.line |= bit(x, y);
    dots.line_color = color;
  }
  void set_band(int x, int y, Color color) {
    if ((x + y) % 2 != 0) return;
    Dots& dots = cell(x, y);
    dots.band |= bit(x, y);
    dots.band_color = color;
  }
  void draw(Screen& screen, int row, int column) const {
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < columns_; ++c) {
        const Dots& dots = cells_[index(r, c)];
        constexpr char32_t kBlankPattern = 0x2800;
        if (dots.line != 0) {
          screen.set(row + r, column + c, kBlankPattern + dots.line, {.color = dots.line_color});
        } else if (dots.band != 0) {
          screen.set(row + r, column + c, kBlankPattern + dots.band,
                     {.color = dots.band_color, .is_dim = true});
        }
      }
    }
  }

 private:
  struct Dots {
    uint8_t line = 0;
    uint8_t band = 0;
    Color line_color = Color::kDefault;
    Color band_color = Color::kDefault;
  };

  // Unicode numbers the dots of a pattern 1 2 3 7 on the left and 4 5 6 8 on the right, downwards.
  static uint8_t bit(int x, int y) {
    constexpr std::array<std::array<uint8_t, 4>, 2> kBits = {
        {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}};
    return kBits[static_cast<size_t>(x % kDotColumns)][static_cast<size_t>(y % kDotRows)];
  }
  size_t index(int row, int column) const {
    return static_cast<size_t>(row) * static_cast<size_t>(columns_) + static_cast<size_t>(column);
  }
  Dots& cell(int x, int y) {
    const int row = rows_ - 1 - y / kDotRows;
    return cells_[index(row, x / kDotColumns)];
  }

  int rows_;
  int columns_;
  std::vector<Dots> cells_;
};

// Larger numbers are not drawn, since their differences may overflow.
constexpr double kDrawableMax = 1e300;

bool is_drawable(const std::optional<double>& value) { return value && std::fabs(*value) <= kDrawableMax; }

struct Extent {
  double low = 0;
  double high = 0;
};

std::optional<Extent> extent_of(const Chart& chart) {
  std::optional<Extent> out;
  for (const ChartLine& line : chart.lines) {
    for (const Values* values : {&line.line, &line.low, &line.high}) {
      for (const std::optional<double>& value : *values) {
        if (!is_drawable(value)) continue;
        out = out ? Extent{std::min(out->low, *value), std::max(out->high, *value)} : Extent{*value, *value};
      }
    }
  }
  return out;
}

// The dots of a slot: columns first to last.
struct SlotDots {
  int first = 0;
  int last = 0;
};

SlotDots dots_of(size_t slot, size_t slot_count, int width) {
  const auto n = static_cast<int64_t>(slot_count);
  const auto i = static_cast<int64_t>(slot);
  const auto first = static_cast<int>(i * width / n);
  return {first, std::max(first, static_cast<int>((i + 1) * width / n) - 1)};
}

int dot_row(double value, const ValueAxis& axis, int height) {
  const double part = (value - axis.low) / (axis.high - axis.low);
  return std::clamp(static_cast<int>(std::lround(part * (height - 1))), 0, height - 1);
}

void draw_band(Canvas& canvas, const ChartLine& line, const ValueAxis& axis) {
  for (size_t i = 0; i < std::min(line.low.size(), line.high.size()); ++i) {
    if (!is_drawable(line.low[i]) || !is_drawable(line.high[i])) continue;
    const SlotDots dots = dots_of(i, line.low.size(), canvas.width());
    const int top = dot_row(*line.high[i], axis, canvas.height());
    for (int x = dots.first; x <= dots.last; ++x) {
      for (int y = dot_row(*line.low[i], axis, canvas.height()); y <= top; ++y)
        canvas.set_band(x, y, line.color);
    }
  }
}

void draw_line(Canvas& canvas, const ChartLine& line, const ValueAxis& axis) {
  int before = -1;  // the row of the slot before; -1: it has no value
  for (size_t i = 0; i < line.line.size(); ++i) {
    if (!is_drawable(line.line[i])) {
      before = -1;
      continue;
    }
    const SlotDots dots = dots_of(i, line.line.size(), canvas.width());
    const int y = dot_row(*line.line[i], axis, canvas.height());
    for (int x = dots.first; x <= dots.last; ++x) canvas.set_line(x, y, line.color);
    const int other = before < 0 ? y : before;
    for (int step = std::min(other, y) + 1; step < std::max(other, y); ++step)
      canvas.set_line(dots.first, step, line.color);
    before = y;
  }
}

constexpr Style kAxisStyle = {.is_dim = true};

void draw_value_axis(Screen& screen, const Area& plot, const ValueAxis& axis) {
  for (int row = 0; row < plot.rows; ++row) screen.put(plot.row + row, plot.column - 1, "│", kAxisStyle);
  const int height = plot.rows * kDotRows;
  for (const ValueTick& tick : axis.ticks) {
    const int row = plot.row + plot.rows - 1 - dot_row(tick.value, axis, height) / kDotRows;
    screen.put(row, plot.column - 1, "┤", kAxisStyle);
    screen.put_right(row, plot.column - 2, tick.label);
  }
}

std::string zone_text(const Chart& chart, const Zone& zone) {
  constexpr size_t kZoneColumnsMax = 6;
  return shorten(zone(chart.from_s).name, kZoneColumnsMax);
}

void draw_time_axis(Screen& screen, const Area& plot, const Chart& chart, const Zone& zone) {
  const int row = plot.row + plot.rows;
  screen.put(row, plot.column - 1, "└", kAxisStyle);
  for (int c = 0; c < plot.columns; ++c) screen.put(row, plot.column + c, "─", kAxisStyle);
  screen.put_right(row + 1, plot.column - 2, zone_text(chart, zone), kAxisStyle);
  int free_from = plot.column;  // labels do not touch each other
  constexpr int kColumnsPerTick = 10;
  for (const TimeTick& tick :
       time_ticks(chart.from_s, chart.until_s, std::max(3, plot.columns / kColumnsPerTick), zone)) {
    const auto offset = (tick.time_s - chart.from_s) * plot.columns / (chart.until_s - chart.from_s);
    const int column = plot.column + static_cast<int>(offset);
    screen.put(row, column, "┬", kAxisStyle);
    const int width = static_cast<int>(display_width(tick.label));
    const int begin = std::max(column - width / 2, plot.column - 1);
    if (begin < free_from - 1 || begin + width > plot.column + plot.columns) continue;
    screen.put(row + 1, begin, tick.label);
    free_from = begin + width + 2;
  }
}

// Puts each line's mark to the right of its last value, or of the next row that is free.
void draw_marks(Screen& screen, const Area& plot, const Chart& chart, const ValueAxis& axis) {
  for (const ChartLine& line : chart.lines) {
    const auto last = std::find_if(line.line.rbegin(), line.line.rend(), is_drawable);
    if (line.mark == '\0' || last == line.line.rend()) continue;
    const int row = plot.row + plot.rows - 1 - dot_row(**last, axis, plot.rows * kDotRows) / kDotRows;
    const int column = plot.column + plot.columns + 1;
    for (int distance = 0; distance < plot.rows; ++distance) {
      const auto is_free = [&](int r) {
        return r >= plot.row && r < plot.row + plot.rows && screen.at(r, column).code == U' ';
      };
      const int free = is_free(row - distance) ? row - distance : row + distance;
      if (!is_free(free)) continue;
      screen.set(free, column, static_cast<char32_t>(line.mark), {.color = line.color, .is_bold = true});
      break;
    }
  }
}

}  // namespace

void draw_chart(Screen& screen, const Area& area, const Chart& chart, const Zone& zone) {
  if (area.rows < kChartRowsMin || area.columns < kChartColumnsMin || chart.until_s <= chart.from_s) return;
  const Extent extent = extent_of(chart).value_or(Extent{});
  const int plot_rows = area.rows - 2;
  constexpr int kRowsPerTick = 3;
  const ValueAxis axis =
      value_axis(extent.low, extent.high, chart.unit, std::max(2, plot_rows / kRowsPerTick + 1));
  int margin = static_cast<int>(display_width(zone_text(chart, zone)));
  for (const ValueTick& tick : axis.ticks)
    margin = std::max(margin, static_cast<int>(display_width(tick.label)));
  const bool has_marks = std::any_of(chart.lines.begin(), chart.lines.end(),
                                     [](const ChartLine& line) { return line.mark != '\0'; });
  const Area plot{area.row, area.column + margin + 2, plot_rows,
                  area.columns - margin - 2 - (has_marks ? 2 : 0)};
  if (plot.columns < 1) return;
  draw_value_axis(screen, plot, axis);
  draw_time_axis(screen, plot, chart, zone);
  Canvas canvas(plot.rows, plot.columns);
  for (const ChartLine& line : chart.lines) draw_band(canvas, line, axis);
  for (const ChartLine& line : chart.lines) draw_line(canvas, line, axis);
  canvas.draw(screen, plot.row, plot.column);
  if (has_marks) draw_marks(screen, plot, chart, axis);
}

std::string sparkline(const Values& values, double low, double high) {
  constexpr std::array<const char*, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string out;
  for (const std::optional<double>& value : values) {
    if (!is_drawable(value)) {
      out.push_back(' ');
      continue;
    }
    const double part = high > low ? (*value - low) / (high - low) : 0;
    out.append(kBlocks.at(static_cast<size_t>(std::clamp(std::lround(part * 7), 0L, 7L))));
  }
  return out;
}

}  // namespace statmill
