#include "server/query/query_control.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/manual_clock.h"

namespace statmill {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

QueryLimits low_limits() {
  QueryLimits limits;
  limits.slots_max = 100;
  limits.heavy_slots = 10;
  limits.memory_bytes_max = 60;
  return limits;
}

TEST(QueryControl, RunsUntilItIsStopped) {
  QueryControl control;
  EXPECT_FALSE(control.should_stop());
  EXPECT_TRUE(control.stop_reason());
  control.stop(QueryStop::kAdmin);
  control.stop(QueryStop::kClient);
  EXPECT_TRUE(control.should_stop());
  EXPECT_EQ(control.stopped_by(), QueryStop::kAdmin) << "the first reason stays";
  const Status reason = control.stop_reason();
  ASSERT_FALSE(reason);
  EXPECT_EQ(reason.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(reason.error().message.starts_with("canceled")) << reason.error().message;
}

TEST(QueryControl, EndsAtItsTimeout) {
  ManualClock clock;
  QueryControl control({}, nullptr, &clock);
  control.begin();
  clock.advance(milliseconds(9999));
  EXPECT_FALSE(control.should_stop());
  clock.advance(milliseconds(1));
  EXPECT_TRUE(control.should_stop());
  EXPECT_EQ(control.stopped_by(), QueryStop::kTimeout);
  EXPECT_TRUE(control.stop_reason().error().message.starts_with("timeout"));
  EXPECT_EQ(control.cost().ms, 10000);
}

TEST(QueryControl, ARequestMayOnlyLowerTheTimeout) {
  ManualClock clock;
  QueryControl control({}, nullptr, &clock);
  control.begin();
  control.lower_timeout(seconds(2));
  control.lower_timeout(seconds(100));
  clock.advance(seconds(2));
  EXPECT_TRUE(control.should_stop());
}

TEST(QueryControl, WaitingForAThreadIsNoPartOfTheTimeout) {
  ManualClock clock;
  QueryControl control({}, nullptr, &clock);
  clock.advance(seconds(60));
  EXPECT_FALSE(control.should_stop());
  control.begin();
  EXPECT_FALSE(control.should_stop());
}

TEST(QueryControl, SlotsAboveTheLimitNameTheSetting) {
  QueryControl control(low_limits());
  EXPECT_TRUE(control.add_slots(100));
  const Status more = control.add_slots(1);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::kLimit);
  EXPECT_EQ(more.error().message,
            "the query needs 101 stored slots to read, over the limit of 100 (--query.slots): ask for fewer "
            "series, a shorter range or a larger step");
  EXPECT_EQ(control.refused_by(), QueryLimit::kSlots);
}

TEST(QueryControl, AHeavyQueryIsRefusedAmongTheSmallOnesOnly) {
  QueryControl control(low_limits());
  control.run_among_small(true);
  EXPECT_TRUE(control.add_slots(10));
  EXPECT_EQ(control.add_slots(1).error().code, ErrorCode::kBusy);
  EXPECT_TRUE(control.is_too_heavy());
  control.run_among_small(false);
  EXPECT_FALSE(control.is_too_heavy());
  EXPECT_EQ(control.cost().slots, 0U) << "it counts anew";
  EXPECT_TRUE(control.add_slots(100));
}

TEST(QueryControl, AHeavyQueryThatStartsAgainHoldsNothing) {
  QueryMemory memory(1000);
  QueryControl control(low_limits(), &memory);
  control.run_among_small(true);
  EXPECT_TRUE(control.take_memory(60));
  control.run_among_small(false);
  EXPECT_EQ(memory.bytes(), 0U);
  EXPECT_TRUE(control.take_memory(60));
}

TEST(QueryControl, AQueryWhoseAnswerIsOnItsWayStaysWhereItIs) {
  QueryControl control(low_limits());
  control.run_among_small(true);
  control.keep_running();
  EXPECT_TRUE(control.add_slots(50));
  EXPECT_FALSE(control.is_too_heavy());
}

TEST(QueryControl, MemoryOfOneQueryIsLimited) {
  QueryMemory memory(1000);
  QueryControl control(low_limits(), &memory);
  EXPECT_TRUE(control.take_memory(60));
  EXPECT_EQ(control.take_memory(1).error().code, ErrorCode::kLimit);
  EXPECT_EQ(control.refused_by(), QueryLimit::kMemory);
  control.give_memory(10);
  EXPECT_TRUE(control.take_memory(10));
  EXPECT_EQ(memory.bytes(), 60U);
}

TEST(QueryControl, MemoryOfAllQueriesIsLimitedAndComesBack) {
  QueryMemory memory(100);
  auto one = std::make_unique<QueryControl>(low_limits(), &memory);
  QueryControl other(low_limits(), &memory);
  EXPECT_TRUE(one->take_memory(60));
  EXPECT_TRUE(other.take_memory(40));
  const Status more = other.take_memory(1);
  EXPECT_EQ(more.error().code, ErrorCode::kBusy);
  EXPECT_NE(more.error().message.find("--query.memory_total"), std::string::npos);
  EXPECT_EQ(other.refused_by(), QueryLimit::kMemoryTotal);
  one.reset();
  EXPECT_EQ(memory.bytes(), 40U);
  EXPECT_TRUE(other.take_memory(1));
}

TEST(QueryControl, CountsWhatAllThreadsReport) {
  QueryMemory memory(size_t{1} << 20);
  QueryControl control({}, &memory);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&control] {
      for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(control.take_memory(3));
        EXPECT_TRUE(control.add_slots(2));
        control.add_cost({.series = 1, .chunks = 5, .cached = 4, .slots = 77, .bytes = 100});
        control.give_memory(3);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const QueryCost cost = control.cost();
  EXPECT_EQ(cost.series, 4000U);
  EXPECT_EQ(cost.chunks, 20'000U);
  EXPECT_EQ(cost.cached, 16'000U);
  EXPECT_EQ(cost.slots, 8000U) << "only add_slots() counts slots";
  EXPECT_EQ(cost.bytes, 400'000U);
  EXPECT_EQ(memory.bytes(), 0U);
}

TEST(QueryLimits, EachHasItsOwnLabelAndText) {
  std::set<std::string_view> labels;
  for (size_t i = 0; i < kQueryLimitCount; ++i) {
    const auto limit = static_cast<QueryLimit>(i);
    labels.insert(limit_info(limit).label);
    EXPECT_FALSE(limit_info(limit).advice.empty());
    EXPECT_GT(limit_value({}, limit), 0U);
  }
  EXPECT_EQ(labels.size(), kQueryLimitCount);
}

}  // namespace
}  // namespace statmill
