#include "tools/statmill/chart/units.h"

#include <gtest/gtest.h>

#include <cmath>

namespace statmill {
namespace {

struct UnitCase {
  std::string_view name;
  std::string_view kind;
  std::string_view stat;
  double value;
  std::string_view want;
};

TEST(UnitText, FollowsNamesAndKinds) {
  const UnitCase cases[] = {
      {"host.cpu.busy_percent;host=web1", "gauge", "avg", 41.26, "41.3 %"},
      {"host.cpu.busy_percent;host=web1", "gauge", "count", 10, "10"},
      {"host.memory.available_bytes;host=web1", "gauge", "avg", 1536.0 * 1024 * 1024, "1.5 GiB"},
      {"host.web1.network.eth0.rx_bytes", "event", "avg", 12.34 * 1024 * 1024, "12.3 MiB/s"},
      {"host.web1.network.eth0.rx_bytes", "event", "sum", 2048, "2 KiB"},
      {"host.web1.sched.runqueue_wait_ns", "distribution", "p99", 1234567, "1.23 ms"},
      {"host.web1.psi.cpu.some_us", "event", "avg", 590000, "590 ms/s"},
      {"host.web1.disk.vda.io_ms", "event", "rate", 97, "97 ms/s"},
      {"host.web1.agent.clock_difference_s", "gauge", "avg", 95, "95 s"},
      {"shop.visits", "event", "avg", 0.12, "0.12/s"},
      {"shop.visits", "counter", "avg", 0.12, "0.12/s"},
      {"shop.orders;code=200", "gauge", "avg", 12345, "12.3 k"},
      {"shop.buses", "gauge", "avg", 3, "3"},
      {"tcp.bytes_sent", "event", "avg", 0, "0 B/s"},
      {"latency_ns", "distribution", "avg", 0, "0 s"},
      {"a", "gauge", "avg", -0.001234, "-0.0012"},
      {"a", "gauge", "avg", 999.96, "1 k"},
      {"a", "gauge", "avg", NAN, "NaN"},
      {"a", "gauge", "avg", -HUGE_VAL, "-Inf"},
  };
  for (const UnitCase& c : cases) {
    EXPECT_EQ(unit_text(c.value, unit_of(c.name, c.kind, c.stat)), c.want) << c.name;
  }
  EXPECT_TRUE(unit_text(1e300, {}).ends_with(" P"));
  EXPECT_EQ(unit_text(5e-324, {}), "0");
}

}  // namespace
}  // namespace statmill
