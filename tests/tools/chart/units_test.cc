#include "tools/statmill/chart/units.h"

#include <gtest/gtest.h>

#include <cmath>

namespace statmill {
namespace {

struct UnitCase {
  std::string_view unit;
  std::string_view kind;
  std::string_view stat;
  double value;
  std::string_view want;
};

TEST(UnitText, FollowsUnitsAndKinds) {
  const UnitCase cases[] = {
      {"percent", "gauge", "avg", 41.26, "41.3 %"},
      {"percent", "gauge", "count", 10, "10"},
      {"bytes", "gauge", "avg", 1536.0 * 1024 * 1024, "1.5 GiB"},
      {"bytes", "event", "avg", 12.34 * 1024 * 1024, "12.3 MiB/s"},
      {"bytes", "event", "sum", 2048, "2 KiB"},
      {"ns", "distribution", "p99", 1234567, "1.23 ms"},
      {"us", "event", "avg", 590000, "590 ms/s"},
      {"ms", "event", "rate", 97, "97 ms/s"},
      {"s", "gauge", "avg", 95, "95 s"},
      {"", "event", "avg", 0.12, "0.12/s"},
      {"", "counter", "avg", 0.12, "0.12/s"},
      {"tasks", "gauge", "avg", 12345, "12.3 k"},
      {"ratio", "gauge", "avg", 3, "3"},
      {"bytes", "event", "avg", 0, "0 B/s"},
      {"ns", "distribution", "avg", 0, "0 s"},
      {"", "gauge", "avg", -0.001234, "-0.0012"},
      {"", "gauge", "avg", 999.96, "1 k"},
      {"", "gauge", "avg", NAN, "NaN"},
      {"", "gauge", "avg", -HUGE_VAL, "-Inf"},
  };
  for (const UnitCase& c : cases) {
    EXPECT_EQ(unit_text(c.value, unit_of(c.unit, c.kind, c.stat)), c.want) << c.unit;
  }
  EXPECT_TRUE(unit_text(1e300, {}).ends_with(" P"));
  const Unit bytes = unit_of("bytes", "gauge", "avg");
  EXPECT_EQ(unit_text(41.2649, {}, 4), "41.26");
  EXPECT_EQ(unit_text(0.0123456, {}, 4), "0.01235");
  EXPECT_EQ(unit_text(9.99996, {}, 4), "10");
  EXPECT_EQ(unit_text(999'600, {}, 4), "0.9996 M");
  EXPECT_EQ(unit_text(-1234567, {}, 4), "-1.235 M");
  EXPECT_EQ(unit_text(1023, bytes, 4), "1023 B");
  EXPECT_EQ(unit_text(1000, bytes, 4), "1000 B");
  EXPECT_EQ(unit_text(1'795'615'200, unit_of("s", "gauge", "avg"), 4), "1795615200 s") << "a time since 1970";
  EXPECT_EQ(unit_text(5e-324, {}), "0");
}

}  // namespace
}  // namespace statmill
