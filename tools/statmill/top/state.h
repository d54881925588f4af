// The state of `statmill top`: what the user looks at, and how keys change it.
//
// Pure: keys and answers in, a state out. view.h draws it, and wanted() says what to ask the server for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/statmill/answer.h"
#include "tools/statmill/client.h"
#include "tools/statmill/terminal/keys.h"
#include "tools/statmill/top/hosts.h"

namespace statmill {

enum class View { kHosts, kSeries, kChart };

// What one round of requests brought. Parts that the view does not need are empty.
struct TopData {
  int64_t at_s = 0;     // unix seconds of the answer; 0: none yet
  std::string problem;  // why there is no answer; the rest is then older
  std::vector<HostRow> hosts;
  uint64_t connected = 0;
  std::string listed;  // the pattern of `series`
  SeriesListing series;
  std::string charted;  // the series and the range of `chart`
  QueryResult values;   // the last minutes of the series in view
  QueryResult chart;
};

struct Place {
  size_t cursor = 0;  // the row that is selected
  size_t first = 0;   // the first row in view
};

struct TopState {
  View view = View::kHosts;
  Place hosts;
  Place series;
  std::string selected_host;  // of the row under the cursor: the cursor follows it
  std::string selected_series;
  std::string host;    // whose series are listed; empty: all series
  std::string filter;  // part of the names that are shown, without case
  bool is_editing_filter = false;
  std::string chart_series;
  size_t range = 2;  // index into chart_ranges()
  bool shows_help = false;
  bool is_done = false;
  int rows = 24;
  int columns = 80;
};

// The names of the ranges that a chart can have, as the API takes them: "5m".
const std::vector<std::string>& chart_ranges();

// The pattern of the series that the view lists.
std::string listed_pattern(const TopState& state);
// The name of a series in this list: without the tag that all of them have.
std::string shown_series_name(const TopState& state, std::string_view name);
// The series and the range of the chart in view.
std::string charted_range(const TopState& state);

// The rows of the lists that pass the filter; no series if the data is of another pattern.
std::vector<const HostRow*> shown_hosts(const TopState& state, const TopData& data);
std::vector<const ListedSeries*> shown_series(const TopState& state, const TopData& data);
// The number of list rows that fit into the view.
size_t list_rows(const TopState& state);

// Returns the state after a key.
TopState after_key(TopState state, const Key& key, const TopData& data);
// Returns the state after new data, or a new size: the cursor stays on its row.
TopState after_data(TopState state, const TopData& data);

// What the view needs from the server.
struct Wanted {
  View view = View::kHosts;
  std::string pattern = {};             // of the series to list
  std::vector<std::string> names = {};  // the series whose values are in view
  UrlParameters chart = {};

  bool operator==(const Wanted&) const = default;
};
Wanted wanted(const TopState& state, const TopData& data);

}  // namespace statmill
