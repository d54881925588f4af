// The server's own counters become series through the intake.
#include "server/self_series.h"

#include <gtest/gtest.h>

#include "server/table/table.h"
#include "tests/support/series_copy.h"

namespace statmill {
namespace {

TEST(SelfSeries, FeedsItsCountersEachInterval) {
  const Tiers tiers = *Tiers::parse("10s:10d");
  Table table(tiers, {});
  Registry registry;
  Intake intake(table, registry);
  registry.counter("statmill.things", "Things.", {{"kind", "a"}}).add(7);
  registry.gauge("statmill.level", "Level.").set(-3);
  registry.counter("statmill.never", "Never.");
  registry.gauge("process.threads", "Threads.").set(5);
  registry.histogram("statmill.took_ns", "How long.").record(5);
  SelfSeries self(intake, registry);
  const Timestamp now = from_unix_seconds(1'700'000'000);
  self.feed(now, SteadyTime(std::chrono::seconds(1)));
  self.feed(now, SteadyTime(std::chrono::seconds(2)));  // too early: nothing
  registry.counter("statmill.things", "Things.", {{"kind", "a"}}).add(2);
  registry.histogram("statmill.took_ns", "How long.").record(1000);
  self.feed(now, SteadyTime(std::chrono::seconds(11)));
  const auto things = copy_of(table, "statmill.things;kind=a");
  ASSERT_TRUE(things);
  EXPECT_EQ(things->kind, Kind::kEvent);
  EXPECT_EQ(things->unflushed.at(0).bucket.sum(), 9);
  const auto level = copy_of(table, "statmill.level");
  ASSERT_TRUE(level);
  EXPECT_EQ(level->kind, Kind::kGauge);
  EXPECT_EQ(level->unflushed.at(0).bucket.mean(), -3);
  EXPECT_EQ(level->unflushed.at(0).bucket.count(), 2U);
  const auto threads = copy_of(table, "statmill.process.threads");
  ASSERT_TRUE(threads) << "all of its series begin with statmill";
  EXPECT_EQ(threads->unflushed.at(0).bucket.mean(), 5);
  const auto took = copy_of(table, "statmill.took_ns");
  ASSERT_TRUE(took);
  EXPECT_EQ(took->kind, Kind::kDistribution);
  EXPECT_EQ(took->unflushed.at(0).bucket.sum(), 1005);
  SparseHistogram both;
  both.add(histogram_index(5));
  both.add(histogram_index(1000));
  EXPECT_EQ(took->histograms.at(0).histogram, both);
  EXPECT_FALSE(copy_of(table, "statmill.never")) << "it was never incremented";
  EXPECT_EQ(table.families().find({"statmill.things", Kind::kEvent})->help, "Things.");
  EXPECT_EQ(table.families().find({"statmill.took_ns", Kind::kDistribution})->help, "How long.");
  EXPECT_FALSE(table.families().find({"statmill.never", Kind::kEvent}));
}

}  // namespace
}  // namespace statmill
