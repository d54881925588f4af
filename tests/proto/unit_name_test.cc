#include "proto/unit_name.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(UnitNameTest, IsTheEndOfTheLastPart) {
  const std::pair<const char*, const char*> cases[] = {
      {"disk.read_bytes;device=sda", "bytes"},
      {"disk.bytes_in", "bytes"},
      {"http.latency_ns", "ns"},
      {"latency.ms", "ms"},
      {"us", "us"},
      {"process.cpu_seconds_total", "s"},
      {"uptime_s", "s"},
      {"cpu.busy_percent", "percent"},
      {"cache.hit_ratio", "ratio"},
      {"room.temperature_celsius", "celsius"},
      {"rail_volts", "volts"},
      {"rapl_joules_total", "joules"},
  };
  for (const auto& [name, unit] : cases) EXPECT_EQ(unit_of_name(name), unit) << name;
}

TEST(UnitNameTest, IsEmptyForOtherNames) {
  for (const char* name :
       {"http.requests_total", "hits", "bytes.count", "a.megabytes", "items", "a;b=c_ns", "", "s.", "total"})
    EXPECT_EQ(unit_of_name(name), "") << name;
}

}  // namespace
}  // namespace statmill
