// The server's own counters come back as series through the ordinary road.
#include "server/self_series.h"

#include <gtest/gtest.h>

#include "server/table/table.h"

namespace statmill {
namespace {

TEST(SelfSeries, FeedsCountersAsEventsAndGaugesAsGaugesEachInterval) {
  const Tiers tiers = *Tiers::parse("10s:10d");
  Table table(tiers, {});
  Registry registry;
  Intake intake(table, registry);
  registry.counter("statmill.things", "Things.", {{"kind", "a"}}).add(7);
  registry.gauge("statmill.level", "Level.").set(-3);
  SelfSeries self(intake, registry);
  const Timestamp now = from_unix_seconds(1'700'000'000);
  self.feed(now, SteadyTime(std::chrono::seconds(1)));
  self.feed(now, SteadyTime(std::chrono::seconds(2)));  // too early: nothing
  registry.counter("statmill.things", "Things.", {{"kind", "a"}}).add(2);
  self.feed(now, SteadyTime(std::chrono::seconds(11)));
  const auto things = table.copy("statmill.things;kind=a");
  ASSERT_TRUE(things);
  EXPECT_EQ(things->kind, Kind::kEvent);
  EXPECT_EQ(things->unflushed.at(0).bucket.sum(), 9);
  const auto level = table.copy("statmill.level");
  ASSERT_TRUE(level);
  EXPECT_EQ(level->kind, Kind::kGauge);
  EXPECT_EQ(level->unflushed.at(0).bucket.mean(), -3);
  EXPECT_EQ(level->unflushed.at(0).bucket.count(), 2U);
}

}  // namespace
}  // namespace statmill
