// Parsers for the server's JSON answers (server/http/API.md documents their fields).
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

template <class Number>
struct SeriesOf {
  std::string name;  // or the labels of a result: up{job="a"}
  std::string kind;  // empty for the result of an expression
  // stat -> one number per slot, nullopt where the slot is empty. All columns have the same size.
  std::vector<std::pair<std::string, std::vector<std::optional<Number>>>> columns;
  std::string unit = {};  // empty for the result of an expression, or if it is unknown
};

template <class Number>
struct ResultOf {
  int64_t from_s = 0;
  int64_t until_s = 0;
  int64_t step_s = 0;
  std::vector<SeriesOf<Number>> series;
  std::vector<std::string> warnings = {};  // what may be wrong with the numbers
  std::vector<std::string> infos = {};     // how the numbers are to be read
};

// Numbers to compute and to draw with: the nearest doubles.
using SeriesColumns = SeriesOf<double>;
using QueryResult = ResultOf<double>;
// Numbers to show: the texts that the server wrote, with all their digits.
using SeriesTexts = SeriesOf<std::string>;
using QueryTexts = ResultOf<std::string>;

struct ListedSeries {
  std::string name;
  std::string kind;
  std::string unit = {};  // empty: unknown, or a plain count
  std::string help = {};
  std::string retention = {};
  int64_t first_s = 0;
  int64_t last_s = 0;
};

struct SeriesListing {
  std::vector<ListedSeries> series;
  bool truncated = false;
};

// The series that a command would change, from a dry run.
struct Selection {
  uint64_t count = 0;
  std::vector<std::string> series;  // names, or "OLD NEW"
  bool truncated = false;           // `series` does not have all of them
};

// A line that the server refused, or accepted although its series is of another kind.
struct Reject {
  int64_t time_s = 0;
  std::string listener;
  std::string sender;
  std::string reason;
  uint64_t bytes = 0;      // size of the whole line
  std::string line;        // visible ASCII
  bool truncated = false;  // `line` is only the begin of the line
  bool accepted = false;
};

// The most frequent keys, counted in bounded memory.
struct Hitters {
  std::vector<std::pair<std::string, uint64_t>> top;  // largest count first
  uint64_t missed = 0;                                // each count may be too low by up to this
};

struct Cardinality {
  uint64_t series = 0;
  uint64_t active_series = 0;
  uint64_t series_limit = 0;             // of active series
  uint64_t series_per_sender_limit = 0;  // 0: no limit
  uint64_t new_in_last_minute = 0;
  uint64_t refused = 0;
  Hitters prefixes;           // counts series
  Hitters labels;             // counts values
  Hitters refused_by_sender;  // counts samples
  Hitters refused_by_prefix;  // counts samples
};

// An agent with its numbers as text, "-" for those that the server does not know.
struct ListedAgent {
  std::string host;
  std::string id;
  bool is_connected = false;
  int64_t seen_s = 0;  // unix seconds, when it last sent something
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

// The server's answer to submitted lines.
struct LinesOutcome {
  uint64_t accepted = 0;
  std::vector<std::pair<std::string, uint64_t>> refused;  // reason -> samples
};

// All return kCorrupt if the text is not an answer of the expected form.
// `stats` are the wanted columns, in order; if empty, those of the answer.
Result<QueryResult> parse_query_result(std::string_view json, const std::vector<std::string>& stats);
Result<QueryTexts> parse_query_texts(std::string_view json, const std::vector<std::string>& stats);
Result<SeriesListing> parse_series_listing(std::string_view json);
Result<Selection> parse_selection(std::string_view json);
Result<LinesOutcome> parse_lines_outcome(std::string_view json);
Result<std::vector<Reject>> parse_rejects(std::string_view json);
Result<Cardinality> parse_cardinality(std::string_view json);
Result<KnownAgents> parse_agents(std::string_view json);
Result<ForgottenAgent> parse_forgotten_agent(std::string_view json);
// Returns the number in the field `field` of a JSON object.
Result<uint64_t> parse_count(std::string_view json, std::string_view field);
Result<ScrubReport> parse_scrub_report(std::string_view json);
// Returns all scalars of a JSON object as "outer.inner" -> text.
Result<std::vector<std::pair<std::string, std::string>>> flatten_object(std::string_view json);

// Returns the body for standard output, as a line. What a terminal obeys is escaped (\u009b), so it is the
// same JSON.
std::string json_output(std::string_view body);

// Returns the "error" of the answer, or a message with its status if it has none.
std::string error_text(const HttpAnswer& answer);

}  // namespace statmill
