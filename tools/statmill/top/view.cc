#include "tools/statmill/top/view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tools/statmill/chart/legend.h"
#include "tools/statmill/terminal/text_cells.h"
#include "tools/statmill/top/host_table.h"

namespace statmill {
namespace {

constexpr Style kDim{.is_dim = true};
constexpr Style kBold{.is_bold = true};

std::string count_text(size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string hosts_summary(const TopData& data) {
  std::array<size_t, 3> by_level = {0, 0, 0};
  size_t away = 0;
  for (const HostRow& host : data.hosts) {
    ++by_level.at(static_cast<size_t>(host.level));
    if (host.away_since_s) ++away;
  }
  std::string out =
      count_text(data.hosts.size(), "host", "hosts") + ": " + std::to_string(by_level[0]) + " ok";
  if (by_level[1] > 0) out += ", " + std::to_string(by_level[1]) + " △";
  if (by_level[2] > 0) out += ", " + std::to_string(by_level[2]) + " ✕";
  if (away > 0) out += " (" + std::to_string(away) + " away)";
  return out;
}

std::string title_of(const TopState& state, const TopData& data) {
  if (state.view == View::kHosts) return data.at_s == 0 ? "hosts" : hosts_summary(data);
  if (state.view == View::kChart) return state.chart_series;
  std::string which = state.host.empty() ? "all series" : state.host;
  if (data.listed != listed_pattern(state)) return which;
  return which + ": " + count_text(data.series.series.size(), "series", "series") +
         (data.series.truncated ? " and more" : "");
}

void draw_frame(Screen& screen, const TopState& state, const TopData& data, const ViewContext& context) {
  const std::string clock =
      data.at_s == 0 ? ""
                     : local_text(data.at_s, context.zone).substr(11) + " " + context.zone(data.at_s).name;
  const int clock_begin = screen.columns() - static_cast<int>(display_width(clock));
  const int column = screen.put(0, 0, "statmill  ", {.color = Color::kCyan, .is_bold = true});
  screen.put(0, column,
             shorten(title_of(state, data), static_cast<size_t>(std::max(clock_begin - column - 1, 0))),
             kBold);
  screen.put_right(0, screen.columns(), clock, kDim);

  const int status = screen.rows() - 2;
  if (!data.problem.empty()) {
    screen.put(status, 0, shorten("✕ " + data.problem, static_cast<size_t>(screen.columns())),
               {.color = Color::kRed, .is_bold = true});
  } else if (state.is_editing_filter || (!state.filter.empty() && state.view != View::kChart)) {
    const int end = screen.put(status, 0, "/" + state.filter, kBold);
    if (state.is_editing_filter) screen.put(status, end, " ", {.is_reverse = true});
  }
  const char* keys = "↑↓ move  enter open  / filter  s all series  ? help  q quit";
  if (state.view == View::kSeries) keys = "↑↓ move  enter chart  esc back  / filter  ? help  q quit";
  if (state.view == View::kChart) keys = "+ - range  esc back  ? help  q quit";
  if (state.is_editing_filter) keys = "enter keep  esc clear";
  screen.put(screen.rows() - 1, 0, keys, kDim);
}

// Draws lines in the middle of the screen, with a common left edge.
void draw_message(Screen& screen, const std::vector<std::string>& lines) {
  const int first = std::max(2, (screen.rows() - static_cast<int>(lines.size())) / 2 - 1);
  int width = 0;
  for (const std::string& line : lines) width = std::max(width, static_cast<int>(display_width(line)));
  for (size_t i = 0; i < lines.size(); ++i) {
    screen.put(first + static_cast<int>(i), std::max(0, (screen.columns() - width) / 2), lines[i],
               i == 0 ? kBold : Style());
  }
}

std::vector<std::string> no_hosts_message(const TopState& state, const TopData& data,
                                          const ViewContext& context) {
  if (data.at_s == 0 && data.problem.empty()) return {"asking " + context.server + " ..."};
  if (data.at_s == 0) return {"no answer from " + context.server, "it is asked again every two seconds"};
  if (!data.hosts.empty()) return {"no host matches \"" + state.filter + "\""};
  return {"no host sends to this server yet",
          "start statmill-agent on a host; s shows the series that there are"};
}

void draw_hosts(Screen& screen, const TopState& state, const TopData& data, const ViewContext& context) {
  const std::vector<const HostRow*> shown = shown_hosts(state, data);
  if (shown.empty()) return draw_message(screen, no_hosts_message(state, data, context));
  const HostTable table(shown, screen.columns());
  table.draw_header(screen, 1);
  const size_t end = std::min(shown.size(), state.hosts.first + list_rows(state));
  for (size_t i = state.hosts.first; i < end; ++i) {
    const int row = 2 + static_cast<int>(i - state.hosts.first);
    table.draw_row(screen, row, *shown[i], data.at_s);
    if (i == state.hosts.cursor) screen.reverse_row(row);
  }
}

const SeriesColumns* values_of(const TopData& data, std::string_view name) {
  const auto found = std::find_if(data.values.series.begin(), data.values.series.end(),
                                  [&](const auto& s) { return s.name == name; });
  return found != data.values.series.end() ? &*found : nullptr;
}

std::optional<double> last_of(const Values& values) {
  const auto found =
      std::find_if(values.rbegin(), values.rend(), [](const auto& v) { return v.has_value(); });
  return found != values.rend() ? *found : std::nullopt;
}

std::string spark_of(const Values& values) {
  double low = 0;
  double high = 0;
  for (const auto& value : values) {
    if (!value || !std::isfinite(*value)) continue;
    low = std::min(low, *value);
    high = std::max(high, *value);
  }
  return sparkline(values, low, high);
}

std::string age_text(int64_t seconds) {
  if (seconds < 60) return std::to_string(std::max<int64_t>(seconds, 0)) + " s";
  if (seconds < 3600) return std::to_string(seconds / 60) + " min";
  if (seconds < 2 * 86400) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / 86400) + " d";
}

struct SeriesPlaces {
  int kind = 0;  // where the columns begin
  int value_end = 0;
  int age_end = 0;
  int spark = 0;
};

SeriesPlaces places_of(int columns) {
  constexpr int kTrendColumns = 31;
  const bool has_spark = columns >= 100;
  const int end = has_spark ? columns - kTrendColumns - 2 : columns;
  return {end - 36, end - 9, end, has_spark ? end + 2 : columns};
}

void draw_series(Screen& screen, const TopState& state, const TopData& data) {
  if (data.listed != listed_pattern(state)) return draw_message(screen, {"asking ..."});
  const std::vector<const ListedSeries*> shown = shown_series(state, data);
  if (shown.empty()) {
    return draw_message(screen, {data.series.series.empty() ? "nothing was sent to this server yet"
                                                            : "no series matches \"" + state.filter + "\""});
  }
  const SeriesPlaces places = places_of(screen.columns());
  screen.put(1, 0, "series", kDim);
  screen.put(1, places.kind, "kind", kDim);
  screen.put_right(1, places.value_end, "last", kDim);
  screen.put_right(1, places.age_end, "age", kDim);
  screen.put(1, places.spark, "last 10 min", kDim);
  const size_t end = std::min(shown.size(), state.series.first + list_rows(state));
  for (size_t i = state.series.first; i < end; ++i) {
    const ListedSeries& series = *shown[i];
    const int row = 2 + static_cast<int>(i - state.series.first);
    screen.put(
        row, 0,
        shorten(shown_series_name(state, series.name), static_cast<size_t>(std::max(places.kind - 1, 8))));
    screen.put(row, places.kind, series.kind, kDim);
    screen.put_right(row, places.age_end, age_text(data.at_s - series.last_s), kDim);
    const SeriesColumns* values = values_of(data, series.name);
    if (values != nullptr && !values->columns.empty()) {
      const Values& column = values->columns.front().second;
      if (const auto last = last_of(column))
        screen.put_right(row, places.value_end, unit_text(*last, unit_of(values->unit, series.kind, "avg")));
      screen.put(row, places.spark, spark_of(column), {.color = Color::kCyan});
    }
    if (i == state.series.cursor) screen.reverse_row(row);
  }
}

void draw_chart_view(Screen& screen, const TopState& state, const TopData& data, const ViewContext& context) {
  if (data.charted != charted_range(state)) return draw_message(screen, {"asking ..."});
  if (data.chart.series.empty()) return draw_message(screen, {"the series is gone"});
  const ChartPage page = chart_page(data.chart, "avg", {.in_color = context.in_color});
  draw_chart_page(screen, {1, 0, screen.rows() - 3, screen.columns()}, page, context.zone);
}

void draw_help(Screen& screen) {
  draw_message(
      screen,
      {"keys", "↑ ↓ or k j     move; also page up, page down, g, G", "enter or l     open a host, a series",
       "esc or h       back", "/              show only names with a text", "s or tab       all series",
       "+ -            shorter or longer range of a chart", "q or Ctrl-C    quit", "",
       "The hosts with the most ✕ come first, then △,",
       "then what waits most. Over the last minute:", "              △        ✕",
       "cpu mem disk  80 %     95 %", "press(ure)    10 %     40 %", "wait p99      10 ms    100 ms",
       "disk p99      20 ms    80 ms", "errors kills  any      1/s", "lag           5 s      30 s"});
}

}  // namespace

Screen draw_top(const TopState& state, const TopData& data, const ViewContext& context) {
  Screen screen(state.rows, state.columns);
  constexpr int kRowsMin = 6;
  constexpr int kColumnsMin = 30;
  if (state.rows < kRowsMin || state.columns < kColumnsMin) {
    screen.put(0, 0, "too small");
    return screen;
  }
  draw_frame(screen, state, data, context);
  if (state.shows_help) {
    draw_help(screen);
  } else if (state.view == View::kHosts) {
    draw_hosts(screen, state, data, context);
  } else if (state.view == View::kSeries) {
    draw_series(screen, state, data);
  } else {
    draw_chart_view(screen, state, data, context);
  }
  if (!context.in_color) screen.remove_colors();
  return screen;
}

Screen draw_hosts_once(const TopData& data, int columns, const ViewContext& context) {
  std::vector<const HostRow*> hosts;
  hosts.reserve(data.hosts.size());
  for (const HostRow& host : data.hosts) hosts.push_back(&host);
  const HostTable table(hosts, columns);
  Screen screen(static_cast<int>(hosts.size()) + 1, columns);
  table.draw_header(screen, 0);
  for (size_t i = 0; i < hosts.size(); ++i)
    table.draw_row(screen, static_cast<int>(i) + 1, *hosts[i], data.at_s);
  if (!context.in_color) screen.remove_colors();
  return screen;
}

}  // namespace statmill
