#include "tools/statmill/top/state.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "tools/statmill/chart/legend.h"

namespace statmill {
namespace {

constexpr int kFrameRows = 4;  // title, header of the list, status, keys

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

// Keeps the cursor in the list, and in view.
void place(Place& place, size_t count, size_t rows) {
  place.cursor = count == 0 ? 0 : std::min(place.cursor, count - 1);
  rows = std::max<size_t>(rows, 1);
  if (place.cursor < place.first) place.first = place.cursor;
  if (place.cursor >= place.first + rows) place.first = place.cursor - rows + 1;
  place.first = std::min(place.first, count > rows ? count - rows : 0);
}

template <class Rows, class NameOf>
void follow(Place& where, std::string& selected, const Rows& shown, size_t rows, const NameOf& name_of) {
  const auto found =
      std::find_if(shown.begin(), shown.end(), [&](const auto* row) { return name_of(*row) == selected; });
  if (!selected.empty() && found != shown.end()) where.cursor = static_cast<size_t>(found - shown.begin());
  place(where, shown.size(), rows);
  selected = shown.empty() ? std::string() : name_of(*shown[where.cursor]);
}

void follow_hosts(TopState& state, const TopData& data) {
  follow(state.hosts, state.selected_host, shown_hosts(state, data), list_rows(state),
         [](const HostRow& row) { return row.host; });
}

void follow_series(TopState& state, const TopData& data) {
  follow(state.series, state.selected_series, shown_series(state, data), list_rows(state),
         [](const ListedSeries& row) { return row.name; });
}

void move_cursor(TopState& state, int64_t rows, const TopData& data) {
  const bool in_hosts = state.view == View::kHosts;
  Place& where = in_hosts ? state.hosts : state.series;
  const int64_t target = std::max<int64_t>(0, static_cast<int64_t>(where.cursor) + rows);
  where.cursor = static_cast<size_t>(target);
  (in_hosts ? state.selected_host : state.selected_series).clear();
  in_hosts ? follow_hosts(state, data) : follow_series(state, data);
}

void show_series(TopState& state, std::string host) {
  if (state.host != host) state.series = {};
  state.host = std::move(host);
  state.view = View::kSeries;
  state.filter.clear();
  state.selected_series.clear();
}

void open_selected(TopState& state) {
  if (state.view == View::kHosts && !state.selected_host.empty()) {
    show_series(state, state.selected_host);
  } else if (state.view == View::kSeries && !state.selected_series.empty()) {
    state.chart_series = state.selected_series;
    state.view = View::kChart;
  }
}

void go_back(TopState& state) {
  if (!state.filter.empty() && state.view != View::kChart) {
    state.filter.clear();
  } else if (state.view == View::kChart) {
    state.view = View::kSeries;
  } else {
    state.view = View::kHosts;
  }
}

void change_range(TopState& state, int by) {
  const auto last = static_cast<int>(chart_ranges().size()) - 1;
  state.range = static_cast<size_t>(std::clamp(static_cast<int>(state.range) + by, 0, last));
}

// Removes the last character of the text.
void erase_last(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

void edit_filter(TopState& state, const Key& key) {
  constexpr size_t kFilterBytesMax = 200;
  if (key.name == KeyName::kText && state.filter.size() < kFilterBytesMax) state.filter += key.text;
  if (key.name == KeyName::kBackspace) erase_last(state.filter);
  if (key.name == KeyName::kEscape) state.filter.clear();
  if (key.name == KeyName::kEnter || key.name == KeyName::kEscape) state.is_editing_filter = false;
}

void act_on_text(TopState& state, const std::string& text, const TopData& data) {
  if (text == "q") state.is_done = true;
  if (text == "?") state.shows_help = true;
  if (text == "j") move_cursor(state, 1, data);
  if (text == "k") move_cursor(state, -1, data);
  if (text == "g") move_cursor(state, INT32_MIN, data);
  if (text == "G") move_cursor(state, INT32_MAX, data);
  if (text == "h") go_back(state);
  if (text == "l") open_selected(state);
  if (text == "s") show_series(state, {});
  if (text == "/" && state.view != View::kChart) state.is_editing_filter = true;
  if (text == "+" || text == "=") change_range(state, -1);
  if (text == "-") change_range(state, 1);
}

void act(TopState& state, const Key& key, const TopData& data) {
  const auto page = static_cast<int64_t>(std::max<size_t>(list_rows(state), 2)) - 1;
  switch (key.name) {
    case KeyName::kText:
      return act_on_text(state, key.text, data);
    case KeyName::kUp:
      return move_cursor(state, -1, data);
    case KeyName::kDown:
      return move_cursor(state, 1, data);
    case KeyName::kPageUp:
      return move_cursor(state, -page, data);
    case KeyName::kPageDown:
      return move_cursor(state, page, data);
    case KeyName::kHome:
      return move_cursor(state, INT32_MIN, data);
    case KeyName::kEnd:
      return move_cursor(state, INT32_MAX, data);
    case KeyName::kEnter:
    case KeyName::kRight:
      return open_selected(state);
    case KeyName::kLeft:
    case KeyName::kBackspace:
    case KeyName::kEscape:
      return go_back(state);
    case KeyName::kTab:
      return state.view == View::kHosts ? show_series(state, {}) : go_back(state);
    case KeyName::kInterrupt:
    case KeyName::kSuspend:
    case KeyName::kRedraw:
      return;
  }
}

}  // namespace

const std::vector<std::string>& chart_ranges() {
  static const std::vector<std::string> ranges = {"5m", "15m", "1h",  "3h",  "6h", "12h", "1d",
                                                  "2d", "1w",  "30d", "90d", "1y", "2y",  "5y"};
  return ranges;
}

std::string listed_pattern(const TopState& state) {
  if (state.host.empty()) return "*";
  std::string host = state.host;
  for (char& c : host) {
    if (std::string_view("*?[]{},").find(c) != std::string_view::npos) c = '?';
  }
  return "*;host=" + host + "{,;*}";
}

std::string shown_series_name(const TopState& state, std::string_view name) {
  const std::string tag = ";host=" + state.host;
  const size_t at = state.host.empty() ? std::string_view::npos : name.find(tag);
  if (at == std::string_view::npos) return std::string(name);
  return std::string(name.substr(0, at)) + std::string(name.substr(at + tag.size()));
}

std::string charted_range(const TopState& state) {
  return state.chart_series + " " + chart_ranges().at(state.range);
}

std::vector<const HostRow*> shown_hosts(const TopState& state, const TopData& data) {
  std::vector<const HostRow*> out;
  for (const HostRow& row : data.hosts) {
    if (contains(row.host, state.filter)) out.push_back(&row);
  }
  return out;
}

std::vector<const ListedSeries*> shown_series(const TopState& state, const TopData& data) {
  std::vector<const ListedSeries*> out;
  if (data.listed != listed_pattern(state)) return out;
  for (const ListedSeries& row : data.series.series) {
    if (contains(row.name, state.filter)) out.push_back(&row);
  }
  return out;
}

size_t list_rows(const TopState& state) { return static_cast<size_t>(std::max(state.rows - kFrameRows, 0)); }

TopState after_key(TopState state, const Key& key, const TopData& data) {
  if (key.name == KeyName::kInterrupt) {
    state.is_done = true;
  } else if (state.shows_help) {
    state.shows_help = false;
  } else if (state.is_editing_filter) {
    edit_filter(state, key);
  } else {
    act(state, key, data);
  }
  return after_data(std::move(state), data);
}

TopState after_data(TopState state, const TopData& data) {
  if (state.view == View::kHosts) follow_hosts(state, data);
  if (state.view == View::kSeries) follow_series(state, data);
  return state;
}

Wanted wanted(const TopState& state, const TopData& data) {
  Wanted out{.view = state.view};
  if (state.view == View::kSeries) {
    out.pattern = listed_pattern(state);
    const std::vector<const ListedSeries*> shown = shown_series(state, data);
    const size_t end = std::min(shown.size(), state.series.first + list_rows(state));
    for (size_t i = state.series.first; i < end; ++i) out.names.push_back(shown[i]->name);
  }
  if (state.view == View::kChart) {
    out.chart = {{"series", state.chart_series},
                 {"from", "-" + chart_ranges().at(state.range)},
                 {"until", "now"},
                 {"max_points", std::to_string(points_of_chart(state.columns))},
                 {"stats", chart_stats("avg")}};
  }
  return out;
}

}  // namespace statmill
