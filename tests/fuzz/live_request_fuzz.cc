// Reads any bytes as the body of POST /api/v1/live: it is refused with a reason, or the request is within its
// limits, and reading it again gives the same.
#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "server/live/live_request.h"
#include "tests/fuzz/cost_bound.h"

namespace statmill {
namespace {

void check(std::string_view body) {
  const auto request = parse_live_request(body);
  if (!request) {
    const ErrorCode code = request.error().code;
    SM_CHECK(code == ErrorCode::kInvalid || code == ErrorCode::kLimit);
    SM_CHECK(!request.error().message.empty() && request.error().message.size() < 200 + 2 * body.size());
    return;
  }
  SM_CHECK(!request->series.empty() && request->series.size() <= kLiveSeriesMax);
  SM_CHECK(request->every >= std::chrono::seconds(1));
  SM_CHECK(request->every <= std::chrono::seconds(kLiveEveryMax_s));
  SM_CHECK(request->percentiles.size() <= Percentile::kCountMax);
  SM_CHECK(request->numbers.size() <= 2 * body.size());
  for (const Percentile& percentile : request->percentiles) SM_CHECK(percentile.q >= 0 && percentile.q <= 1);
  // Names are read as they are stored.
  boost::json::array names;
  for (const std::string& name : request->series) names.emplace_back(name);
  const auto again =
      parse_live_request(boost::json::serialize(boost::json::object{{"series", std::move(names)}}));
  SM_CHECK(again && again->series == request->series);
}

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const CostBound bound(size);
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}
