// What the server's JSON answers say, as the commands print it (server/http/API.md gives the forms).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "storage/rocks/scrub.h"
#include "tools/statmill/client.h"

namespace statmill {

struct SeriesColumns {
  std::string name;
  std::string kind;
  // stat -> a value per slot, none where the slot is empty; all of equal length.
  std::vector<std::pair<std::string, std::vector<std::optional<double>>>> columns;
};

struct QueryResult {
  int64_t from_s = 0;
  int64_t until_s = 0;
  int64_t step_s = 0;
  std::vector<SeriesColumns> series;
  std::vector<std::string> warnings = {};  // what may be wrong with the numbers
};

struct ListedSeries {
  std::string name;
  std::string kind;
  int64_t last_s = 0;
};

struct SeriesListing {
  std::vector<ListedSeries> series;
  bool truncated = false;
};

// What a dry run would change.
struct Selection {
  uint64_t count = 0;
  std::vector<std::string> series;  // names, or "OLD NEW"
  bool truncated = false;           // not all of them
};

// A line that the server refused.
struct Reject {
  int64_t time_s = 0;
  std::string listener;
  std::string sender;
  std::string reason;
  uint64_t bytes = 0;      // of the whole line
  std::string line;        // visible ASCII
  bool truncated = false;  // it goes on
};

// Keys that were counted in bounded space.
struct Hitters {
  std::vector<std::pair<std::string, uint64_t>> top;  // the largest first
  uint64_t missed = 0;                                // how much any of the counts may be short
};

struct Cardinality {
  uint64_t series = 0;
  uint64_t series_limit = 0;
  uint64_t series_per_sender_limit = 0;  // 0: none
  uint64_t new_in_last_minute = 0;
  uint64_t refused = 0;
  Hitters prefixes;           // series
  Hitters refused_by_sender;  // samples
  Hitters refused_by_prefix;  // samples
};

// An agent, its numbers as text: "-" where the server says nothing.
struct ListedAgent {
  std::string host;
  std::string id;
  bool is_connected = false;
  std::string peer;
  std::string version;
  std::string clock_ms;
  std::string durable;
  std::string lag_s;
  std::string lines_lost;
  std::string lines_refused;
  std::string gaps;
  std::string spool_bytes;
  std::string troubles;
};

struct KnownAgents {
  uint64_t known = 0;
  uint64_t connected = 0;
  std::vector<ListedAgent> agents;
};

struct ForgottenAgent {
  std::string id;
  std::string host;
};

// What became of lines handed in.
struct LinesOutcome {
  uint64_t accepted = 0;
  std::vector<std::pair<std::string, uint64_t>> refused;  // reason -> samples
};

// Errors of all: kCorrupt when the text is not such an answer.
// `stats` are the columns wanted, in order.
Result<QueryResult> parse_query_result(std::string_view json, const std::vector<std::string>& stats);
Result<SeriesListing> parse_series_listing(std::string_view json);
Result<Selection> parse_selection(std::string_view json);
Result<LinesOutcome> parse_lines_outcome(std::string_view json);
Result<std::vector<Reject>> parse_rejects(std::string_view json);
Result<Cardinality> parse_cardinality(std::string_view json);
Result<KnownAgents> parse_agents(std::string_view json);
Result<ForgottenAgent> parse_forgotten_agent(std::string_view json);
// The number at `field` of a JSON object.
Result<uint64_t> parse_count(std::string_view json, std::string_view field);
Result<ScrubReport> parse_scrub_report(std::string_view json);
// Every scalar of a JSON object, as "outer.inner" -> text.
Result<std::vector<std::pair<std::string, std::string>>> flatten_object(std::string_view json);

// The server's words for why it did not do what was asked: its "error", or its status when it gives none.
std::string server_complaint(const HttpAnswer& answer);

}  // namespace statmill
