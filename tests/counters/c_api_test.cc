#include <gtest/gtest.h>

#include <array>
#include <string>

#include "statmill/counters.h"
#include "statmill/registry.h"

namespace statmill {
namespace {

TEST(CApi, InstrumentsBelongToTheRegistryOfTheProcess) {
  statmill_counter* const counter = statmill_counter_of("c.counter;k=v", "Help.", nullptr);
  ASSERT_NE(counter, nullptr);
  statmill_counter_add(counter, 4);
  EXPECT_EQ(statmill_counter_of("c.counter;k=v", "", nullptr), counter);
  EXPECT_EQ(statmill_counter_value(counter), 4u);
  EXPECT_EQ(Registry::process().counter("c.counter", "", {{"k", "v"}}).value(), 4u);
  statmill_gauge* const gauge = statmill_gauge_of("c.gauge", nullptr, "celsius");
  statmill_gauge_set(gauge, 5);
  statmill_gauge_add(gauge, -7);
  EXPECT_EQ(Registry::process().gauge("c.gauge", "").value(), -2);
  EXPECT_EQ(Registry::process().gauge("c.gauge", "").unit(), "celsius");
  EXPECT_EQ(Registry::process().gauge("c.gauge", "").help(), "");
  statmill_max_gauge_record(statmill_max_gauge_of("c.max", "", nullptr), 9);
  EXPECT_EQ(Registry::process().max_gauge("c.max", "").value(), 9);
  statmill_histogram_record(statmill_histogram_of("c.histogram", "", nullptr), 100);
  EXPECT_EQ(Registry::process().histogram("c.histogram", "").count(), 1u);
  statmill_histogram_record_with(statmill_histogram_of("c.histogram", "", nullptr), 50, "trace_id=a");
  statmill_histogram_record_with(statmill_histogram_of("c.histogram", "", nullptr), 60, nullptr);
  EXPECT_EQ(Registry::process().histogram("c.histogram", "").count(), 3u);
  EXPECT_EQ(Registry::process().histogram("c.histogram", "").exemplar().read(true)->value, 50u);
}

TEST(CApi, RefusesANameOfAnotherKind) {
  ASSERT_NE(statmill_counter_of("c.taken", "", nullptr), nullptr);
  EXPECT_EQ(statmill_gauge_of("c.taken", "", nullptr), nullptr);
}

TEST(CApi, ReporterErrorsFitIntoTheBuffer) {
  std::array<char, 16> error{};
  EXPECT_EQ(statmill_reporter_start("nonsense", 1000, error.data(), error.size()), nullptr);
  EXPECT_EQ(std::string(error.data()).substr(0, 7), "address");
  EXPECT_EQ(std::string(error.data()).size(), 15u);
  EXPECT_EQ(statmill_reporter_start("nonsense", 1000, nullptr, 0), nullptr);
  statmill_reporter* const reporter = statmill_reporter_start("udp:127.0.0.1:9", UINT64_MAX, nullptr, 0);
  EXPECT_NE(reporter, nullptr);
  statmill_reporter_stop(reporter);
  statmill_reporter_stop(nullptr);
}

}  // namespace
}  // namespace statmill
