// What clients of InfluxDB 1.8 and 2 ask: POST /write and /api/v2/write, GET /ping, /health and /query
// (API.md).
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "ingest/influx_intake.h"
#include "server/health.h"
#include "server/http/router.h"

namespace statmill {

// The bytes of a body, as it arrives and when it is decoded: InfluxDB's default.
inline constexpr size_t kInfluxBodyBytesMax = 25'000'000;
inline constexpr size_t kInfluxQueryBytesMax = size_t{16} << 10;  // of the form of POST /query

struct InfluxServices {  // all must outlive the routes
  const InfluxIntake& intake;
  const Health& health;
  const Clock& clock;
  std::string_view tag_key;  // --influx.db_tag: the tag for the database or bucket; empty: none
};

std::vector<Route> influx_routes(const InfluxServices& services);

}  // namespace statmill
