// The parameters of Prometheus' HTTP API, with its words in errors.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "server/http/url.h"
#include "server/query/series_catalog.h"
#include "server/query/series_source.h"

namespace statmill {

// Over Prometheus' API one series has at most this many points.
inline constexpr int64_t kPrometheusPointsMax = 11'000;

// Seconds since 1970, with a fraction, or RFC 3339: "2024-02-29T12:34:56.5+01:00". In milliseconds. Errors:
// kInvalid.
Result<int64_t> parse_api_time(std::string_view text);
// Seconds with a fraction, or "1h30m". In milliseconds. Errors: kInvalid.
Result<int64_t> parse_api_duration(std::string_view text);

// start, end and step of query_range. Errors: kInvalid.
Result<Grid> parse_range(const Url& url);
// The time of an instant query; `now` if there is none. Errors: kInvalid.
Result<int64_t> parse_instant(const Url& url, Timestamp now);
// lookback_delta; the default if there is none. In milliseconds. Errors: kInvalid.
Result<int64_t> parse_lookback(const Url& url);
// limit, or another parameter of this form; `otherwise` if there is none, or if it is 0. Errors: kInvalid.
Result<size_t> parse_limit(const Url& url, size_t otherwise, std::string_view parameter = "limit");
// start and end, both optional.
struct ApiRange {
  int64_t start_ms = INT64_MIN;
  int64_t end_ms = INT64_MAX;
};
// Errors: kInvalid.
Result<ApiRange> parse_api_range(const Url& url);
// match[], start, end and limit of series and labels. A name `U__cpu_2e_idle` in match[] also selects
// `cpu.idle`. Errors: kInvalid.
Result<CatalogRequest> parse_catalog_request(const Url& url);

}  // namespace statmill
