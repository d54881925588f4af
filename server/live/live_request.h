// Parses the JSON body of POST /api/v1/live. API.md has the form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/query/query.h"

namespace statmill {

inline constexpr size_t kLiveSeriesMax = 1000;  // of one stream
inline constexpr int64_t kLiveEveryMax_s = 60;

struct LiveRequest {
  std::vector<std::string> series;  // as they are stored, in the order of the request
  // The numbers that are wanted; the sum always is.
  bool has_count = false;
  bool has_extremes = false;
  std::vector<Percentile> percentiles = {};
  std::string numbers = {};  // their names as the request has them; empty: the usual ones
  Duration every = std::chrono::seconds(1);
};

// Errors: kInvalid, kLimit above kLiveSeriesMax.
Result<LiveRequest> parse_live_request(std::string_view body);

}  // namespace statmill
