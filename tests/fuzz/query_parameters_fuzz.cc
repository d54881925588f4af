// Reads bytes as the parameters of each endpoint that answers queries. They are refused with the name of a
// parameter, or their values are within their bounds, and stay the same when they are written and read again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "server/http/query_parameters.h"

namespace statmill {
namespace {

constexpr Timestamp kNow{Duration(1'700'000'000'500)};

// A glob of too many alternatives meets a limit, every other refusal says that the value is not valid.
template <class Value>
void check_refusal(const Result<Value>& result) {
  const ErrorCode code = result.error().code;
  SM_CHECK(code == ErrorCode::kInvalid || code == ErrorCode::kLimit);
  SM_CHECK(result.error().message.starts_with("parameter "));
}

void check_bounds(const QueryParameters& query) {
  const QueryRequest& request = query.request;
  SM_CHECK(request.from_s < request.until_s);
  SM_CHECK(!request.step_s || *request.step_s > 0);
  SM_CHECK(!request.max_points || *request.max_points > 0);
  SM_CHECK(!query.timeout || *query.timeout >= Duration(0));
  SM_CHECK(request.percentiles.size() <= Percentile::kCountMax);
  for (const Percentile& percentile : request.percentiles) SM_CHECK(percentile.q >= 0 && percentile.q <= 1);
  for (const Stat stat : query.stats) SM_CHECK(std::ranges::count(query.stats, stat) == 1);
}

// A time, as seconds since 1970 or before now.
std::string time_text(int64_t time_s) {
  const int64_t now_s = unix_seconds(kNow);
  return time_s >= 0 ? std::to_string(time_s) : "-" + std::to_string(now_s - time_s) + "s";
}

Url url_of(const QueryParameters& query) {
  const QueryRequest& request = query.request;
  Url url{"/x", {{"from", time_text(request.from_s)}, {"until", time_text(request.until_s)}}};
  for (const std::string& name : request.series) url.parameters.push_back({"series", name});
  if (request.step_s) url.parameters.push_back({"step", std::to_string(*request.step_s)});
  if (request.max_points) url.parameters.push_back({"max_points", std::to_string(*request.max_points)});
  if (query.timeout) url.parameters.push_back({"timeout", format_duration(*query.timeout)});
  url.parameters.push_back({"align", request.align ? "true" : "false"});
  url.parameters.push_back({"format", query.is_csv ? "csv" : "json"});
  url.parameters.push_back({"missing", request.lists_missing ? "list" : "error"});
  std::string stats;
  for (const Stat stat : query.stats) stats.append(stats.empty() ? "" : ",").append(stat_name(stat));
  for (const Percentile& percentile : request.percentiles)
    stats.append(stats.empty() ? "" : ",").append(percentile.name);
  if (!stats.empty()) url.parameters.push_back({"stats", stats});
  return url;
}

void check_same(const QueryParameters& a, const QueryParameters& b) {
  SM_CHECK(a.request.series == b.request.series);
  SM_CHECK(a.request.from_s == b.request.from_s && a.request.until_s == b.request.until_s);
  SM_CHECK(a.request.step_s == b.request.step_s && a.request.max_points == b.request.max_points);
  SM_CHECK(a.request.align == b.request.align && a.timeout == b.timeout && a.is_csv == b.is_csv);
  SM_CHECK(a.request.lists_missing == b.request.lists_missing);
  const auto parts_of = [](const Parts& p) { return std::tuple(p.extremes, p.squares, p.histograms); };
  SM_CHECK(parts_of(a.request.parts) == parts_of(b.request.parts) && a.stats == b.stats);
  SM_CHECK(
      std::ranges::equal(a.request.percentiles, b.request.percentiles, {}, &Percentile::q, &Percentile::q));
}

void check_query(const Url& url) {
  const auto query = parse_query_parameters(url, kNow);
  if (!query) return check_refusal(query);
  check_bounds(*query);
  SM_CHECK(!query->request.series.empty());
  const auto again = parse_query_parameters(url_of(*query), kNow);
  SM_CHECK(again);
  check_same(*again, *query);
}

void check_others(const Url& url) {
  if (const auto expression = parse_expression_parameters(url, kNow)) {
    check_bounds(expression->query);
    SM_CHECK(expression->query.request.series.empty());
  } else {
    check_refusal(expression);
  }
  if (const auto heatmap = parse_heatmap_parameters(url, kNow)) {
    check_bounds(heatmap->query);
    SM_CHECK(heatmap->grouping_power >= 0 && heatmap->grouping_power <= kHistogramGroupingPower);
  } else {
    check_refusal(heatmap);
  }
  if (const auto series = parse_series_parameters(url)) {
    SM_CHECK(series->limit > 0 && std::cmp_less_equal(series->limit, kSeriesListLimitMax));
  } else {
    check_refusal(series);
  }
  if (const auto parts = parse_cardinality_parts(url)) {
    SM_CHECK(*parts > 0 && std::cmp_less_equal(*parts, kCardinalityPartsMax));
  } else {
    check_refusal(parts);
  }
}

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  auto parameters = parse_form({reinterpret_cast<const char*>(data), size});
  if (!parameters) return 0;
  const Url url{"/x", *std::move(parameters)};
  check_query(url);
  check_others(url);
  return 0;
}
