// Parses any bytes as points of InfluxDB's line protocol: the counts add up, names are canonical, a point
// alone has the same result as among others, and the cost is linear.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "tests/fuzz/cost_bound.h"
#include "tests/proto/influx/influx_laws.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const CostBound bound(size);
  Batch whole;
  parse_influx_lines(bytes, whole);
  SM_CHECK(is_sane_influx(whole));
  SM_CHECK(is_same_point_by_point(bytes));
  for (const char* unit : {"us", "ms", "s", "m", "h"}) {
    Batch batch;
    parse_influx_piece(bytes, {*parse_influx_unit(unit), "db", "x"}, batch);
    SM_CHECK(is_sane_influx(batch));
  }
  return 0;
}
