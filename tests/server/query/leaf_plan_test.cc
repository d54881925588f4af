// plan_leaf(): the tier and the windows for a table of requests.
#include "server/query/leaf_plan.h"

#include <gtest/gtest.h>

#include "tests/support/times.h"

namespace statmill {
namespace {

const Tiers& kept_tiers() {
  static const Tiers all = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  return all;
}

// From `ago` before a whole hour to that hour.
LeafRequest ask_leaf(LeafFunction function, int64_t ago_s, int64_t step_s, int64_t range_s) {
  const int64_t end_s = kNow / kHour * kHour;
  LeafRequest request;
  request.function = function;
  request.grid = {(end_s - ago_s) * 1000, end_s * 1000, step_s * 1000};
  request.range_ms = range_s * 1000;
  return request;
}

LeafPlan planned(const LeafRequest& request, Kind kind = Kind::kGauge) {
  return plan_leaf(request, kind, kept_tiers(), from_unix_seconds(kNow));
}

TEST(LeafPlan, ReadsACoarserTierOnlyWhereItYieldsTheSame) {
  EXPECT_EQ(int64_t{planned(ask_leaf(LeafFunction::kAvg, kHour, 60, 300)).span.tier}, 0)
      << "the step is finer";
  EXPECT_EQ(int64_t{planned(ask_leaf(LeafFunction::kAvg, kHour, 300, 300)).span.tier}, 1);
  EXPECT_EQ(int64_t{planned(ask_leaf(LeafFunction::kMax, kDay, kHour, 2 * kHour)).span.tier}, 2);
  LeafRequest moved = ask_leaf(LeafFunction::kAvg, kHour, 300, 300);
  moved.offset_ms = 70'000;
  EXPECT_EQ(int64_t{planned(moved).span.tier}, 0) << "windows begin between the slots of 5 min";
  EXPECT_EQ(int64_t{planned(ask_leaf(LeafFunction::kRate, kHour, 300, 300)).span.tier}, 0)
      << "single samples";
  EXPECT_EQ(int64_t{planned(ask_leaf(LeafFunction::kRate, kHour, 300, 300), Kind::kEvent).span.tier}, 1);
}

TEST(LeafPlan, SaysWhenMeansStandForSamples) {
  const LeafPlan day = planned(ask_leaf(LeafFunction::kInstant, kDay, 300, 300));
  EXPECT_EQ(int64_t{day.span.tier}, 0);
  EXPECT_TRUE(day.infos.empty());
  const LeafPlan week = planned(ask_leaf(LeafFunction::kInstant, 7 * kDay, 300, 300));
  EXPECT_EQ(int64_t{week.span.tier}, 1);
  EXPECT_EQ(week.infos, std::vector<std::string>{"means of 5m stand for samples"});
  const LeafPlan old = planned(ask_leaf(LeafFunction::kAvg, 30 * kDay, kHour, 60));
  EXPECT_EQ(old.range_ms, 300'000);
  ASSERT_EQ(old.infos.size(), 1U);
  EXPECT_NE(old.infos[0].find("widened to 5m"), std::string::npos);
}

// A window has the slots that begin in [T - range, T).
TEST(LeafPlan, WindowsOfOneStepTile) {
  const LeafPlan tiles = planned(ask_leaf(LeafFunction::kAvg, 120, 60, 60));
  ASSERT_EQ(tiles.windows.size(), 3U);
  EXPECT_EQ(tiles.span.size(), 18U);
  for (size_t i = 0; i < tiles.windows.size(); ++i) {
    EXPECT_EQ(tiles.windows[i].begin, 6 * i);
    EXPECT_EQ(tiles.windows[i].end, 6 * i + 6);
  }
  EXPECT_EQ((tiles.span.begin + 6) * 10'000, tiles.grid.start_ms) << "no slot that begins at the first T";
}

TEST(LeafPlan, APointBetweenSlotsHasWholeSlots) {
  LeafRequest request = ask_leaf(LeafFunction::kAvg, 0, 60, 20);
  request.grid.start_ms += 3000;
  request.grid.end_ms += 3000;
  const LeafPlan one = planned(request);
  ASSERT_EQ(one.windows.size(), 1U);
  EXPECT_EQ(one.windows[0].end - one.windows[0].begin, 2U);
  EXPECT_EQ(one.span.end * 10'000, request.grid.start_ms - 3000 + 10'000) << "the slot under way";
}

TEST(LeafPlan, AtEvaluatesOnePointForAll) {
  LeafRequest request = ask_leaf(LeafFunction::kAvg, kHour, 60, 300);
  request.at_ms = request.grid.start_ms;
  EXPECT_EQ(planned(request).windows.size(), 1U);
}

}  // namespace
}  // namespace statmill
