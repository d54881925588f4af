// Parses the URL parameters of the query endpoints.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/glob.h"
#include "base/result.h"
#include "server/http/url.h"
#include "server/query/queries.h"
#include "server/query/query.h"
#include "server/report/reports.h"

namespace statmill {

struct QueryParameters {
  QueryRequest request;
  std::vector<Stat> stats = {};  // no duplicates; at least one stat or percentile is requested
  std::optional<Duration> timeout = {};
  bool is_csv = false;
  bool is_buckets = false;  // format=jsonl: `stats` has no effect
};

struct ExpressionParameters {
  std::string expression;
  // Without series. `stats` and percentiles are empty if the request names none.
  QueryParameters query;
};

struct HeatmapParameters {
  QueryParameters query;  // for the merged series
  int grouping_power = kHistogramGroupingPower;
};

struct SeriesParameters {
  Glob match;
  size_t limit = 0;
};

inline constexpr int64_t kSeriesListLimit = 1000;
inline constexpr int64_t kSeriesListLimitMax = 100'000;
inline constexpr int64_t kTreeLimit = 200;
inline constexpr int64_t kSearchLimit = 50;
inline constexpr int64_t kSearchLimitMax = 1000;
inline constexpr size_t kSearchTextBytesMax = 256;
inline constexpr int64_t kCardinalityPartsMax = 8;

// Errors: kInvalid with the name of the missing or invalid parameter.
Result<QueryParameters> parse_query_parameters(const Url& url, Timestamp now);
// Parses those of a query with `expr`. Requires: the URL has it.
Result<ExpressionParameters> parse_expression_parameters(const Url& url, Timestamp now);
Result<HeatmapParameters> parse_heatmap_parameters(const Url& url, Timestamp now);
Result<SeriesParameters> parse_series_parameters(const Url& url);
// Parses the limit of a list; `usual` without one.
Result<size_t> parse_list_limit(const Url& url, int64_t usual);
Result<Queries::TreeRequest> parse_tree_parameters(const Url& url);
Result<Queries::SearchRequest> parse_search_parameters(const Url& url);
Result<size_t> parse_cardinality_parts(const Url& url);
Result<Reports::AgentFilter> parse_agent_filter(const Url& url, Timestamp now);
// Parses `name`, in any spelling; returns the canonical one.
Result<std::string> parse_series_name(const Url& url);

}  // namespace statmill
