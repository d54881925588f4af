// plan_bins(): the step, the bins and the tiers for a table of requests, and what holds for any request.
#include "server/query/bins.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "tests/support/times.h"

namespace statmill {
namespace {

constexpr int64_t kBetweenSlots = kNow + 3;
constexpr int64_t kMinute = 60;

QueryRequest ask(int64_t from_ago, int64_t until_ago, std::optional<int64_t> step = {},
                 std::optional<int64_t> points = {}) {
  return {{"x"}, kBetweenSlots - from_ago, kBetweenSlots - until_ago, step, points};
}

const Tiers& tiers() {
  static const Tiers all = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  return all;
}

Result<BinPlan> plan(const QueryRequest& request, int64_t points_max = 1'000'000) {
  return plan_bins(request, tiers(), points_max, from_unix_seconds(kBetweenSlots));
}

TEST(Bins, HaveTheFinestStepThatFits) {
  struct Case {
    QueryRequest request;
    int64_t step_s;
    int64_t tier;
    int64_t edge_tier;
    const char* why;
  };
  const Case cases[] = {
      {ask(kHour, 0), 10, 0, 0, "an hour is 360 slots of 10 s"},
      {ask(160 * kMinute, 0), 10, 0, 0, "961 slots"},
      {ask(170 * kMinute, 0), 20, 0, 0, "1021 slots: two at a time"},
      {ask(3 * kDay, 0), 300, 1, 0, "864 slots of 5 min, and the edges of 10 s"},
      {ask(4 * kDay, 0), 600, 1, 0, "twice 5 min"},
      {ask(6 * kHour, 0, {}, 5000), 10, 0, 0, "6 h of 10 s fit in 5000 points"},
      {ask(20 * kDay, 20 * kDay - kHour), 300, 1, 1, "10 s are gone after 10 days"},
      {ask(2 * 365 * kDay, 2 * 365 * kDay - kHour), kHour, 2, 2, "5 m are gone after a year"},
      {ask(300 * kDay, 0), 12 * kHour, 2, 1, "600 points of 12 h, since 1200 of 6 h are too many"},
      {ask(6 * 365 * kDay - kDay, 0, {}, 100), 4 * 7 * kDay, 2, 2, "whole weeks"},
      {ask(9 * 365 * kDay, 8 * 365 * kDay), 12 * kHour, 2, 2, "older than all: the coarsest"},
      {ask(kHour, 0, 10), 10, 0, 0, "the requested step"},
      {ask(kHour, 0, 60), 60, 0, 0, "a multiple of 10 s only"},
      {ask(kHour, 0, 300), 300, 1, 0, "the coarsest tier that divides it costs least"},
      {ask(kHour, 0, 7200), 7200, 2, 0, "the coarsest tier again"},
      {ask(kHour, 0, 7), 10, 0, 0, "rounded up to a slot"},
      {ask(20 * kDay, 0, 10), 300, 1, 1, "raised to what still exists"},
      {ask(kDay, 0, 10, 100), 900, 1, 0, "raised until the points fit"},
      {ask(10 * kMinute, 0, {}, 1), 610, 0, 0, "one point: just what is asked, in slots"},
  };
  for (const Case& c : cases) {
    const auto p = plan(c.request);
    ASSERT_TRUE(p) << c.why;
    EXPECT_EQ(p->bins.step_s, c.step_s) << c.why;
    EXPECT_EQ(int64_t{p->tier}, c.tier) << c.why;
    EXPECT_EQ(int64_t{p->edge_tier}, c.edge_tier) << c.why;
  }
}

TEST(Bins, AreOfSecondsWhereAllSeriesKeepThem) {
  const Tiers detailed = *tiers().with_retention("1s:6h");
  struct Case {
    QueryRequest request;
    int64_t step_s;
    int64_t tier_s;
    const char* why;
  };
  const Case cases[] = {
      {ask(10 * kMinute, 0), 1, 1, "600 seconds"},
      {ask(kHour, 0), 6, 1, "600 points of six seconds, since 1200 are too many"},
      {ask(2 * kHour, 0), 10, 10, "whole slots of the finest tier are as good"},
      {ask(4 * kHour, 0), 15, 1, "finer than two slots of 10 s"},
      {ask(10 * kMinute, 0, 7), 7, 1, "the requested step"},
      {ask(10 * kMinute, 0, 20), 20, 10, "a step of whole slots"},
      {ask(10 * kMinute, 0, 1, 100), 10, 10, "raised until the points fit"},
      {ask(10 * kMinute, 0, {}, 1), 610, 10, "one point"},
      {ask(7 * kHour, 7 * kHour - kMinute), 10, 10, "no seconds are kept after six hours"},
  };
  for (const Case& c : cases) {
    const auto p = plan_bins(c.request, detailed, 1'000'000, from_unix_seconds(kBetweenSlots));
    ASSERT_TRUE(p) << c.why;
    EXPECT_EQ(p->bins.step_s, c.step_s) << c.why;
    EXPECT_EQ(detailed[p->tier].step_s, c.tier_s) << c.why;
    EXPECT_EQ(totals_tier(*p, detailed).step_s, c.tier_s) << c.why;
    EXPECT_EQ(p->bins.from_s % 10, 0) << "whole slots of the finest tier: " << c.why;
    EXPECT_EQ(p->bins.until_s % 10, 0) << c.why;
  }
}

TEST(Bins, AreCutToWhatIsAsked) {
  const auto cut = plan(ask(1000, 0, 300));
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->bins.first_s % 300, 0);
  EXPECT_EQ(cut->bins.from_s, kNow - 1000);
  EXPECT_EQ(cut->bins.until_s, kNow + 10) << "the slot under way";
  EXPECT_FALSE(cut->bins.are_whole());
  int64_t length_s = 0;
  for (size_t i = 0; i < cut->bins.count; ++i) length_s += cut->bins.length_s(i);
  EXPECT_EQ(length_s, 1010);
  QueryRequest request = ask(1000, 0, 300);
  request.align = true;
  const auto whole = plan(request);
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->bins.are_whole());
  EXPECT_EQ(whole->bins.count, cut->bins.count);
  EXPECT_EQ(whole->bins.length_s(0), 300);
}

TEST(Bins, RefuseInvalidRequests) {
  EXPECT_EQ(plan(ask(0, 0)).error().code, ErrorCode::kInvalid) << "empty range";
  EXPECT_EQ(plan(ask(0, kHour)).error().code, ErrorCode::kInvalid) << "until before from";
  EXPECT_EQ(plan(ask(kHour, 0, 0)).error().code, ErrorCode::kInvalid) << "step 0";
  EXPECT_EQ(plan(ask(kHour, 0, {}, 0)).error().code, ErrorCode::kInvalid) << "no points";
  EXPECT_EQ(plan(ask(kDay, 0, 10), 1000)->bins.count, 8641U) << "over the limit: for the caller to refuse";
}

RC_GTEST_PROP(Bins, KeepTheirPromises, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const int64_t range_s = 1 + below(int64_t{1} << (1 + below(28)));
  const int64_t until_ago = below(3) == 0 ? below(400 * kDay) : 0;
  QueryRequest request = ask(until_ago + range_s, until_ago);
  if (below(4) != 0) request.max_points = 1 + below(2000);
  if (below(3) == 0) request.step_s = 1 + below(100'000);
  const auto p = plan(request);
  RC_ASSERT(p.has_value());
  const Bins& bins = p->bins;
  if (request.step_s && !request.max_points && bins.count > 1'000'000) return;
  const auto most = static_cast<size_t>(request.max_points.value_or(request.step_s ? 1'000'000 : 1000));
  RC_ASSERT(bins.count >= 1U && bins.count <= most);
  const int64_t slot_s = tiers()[p->edge_tier].step_s;
  RC_ASSERT(bins.from_s <= request.from_s && request.from_s < bins.from_s + slot_s);
  RC_ASSERT(bins.until_s >= request.until_s && request.until_s > bins.until_s - slot_s);
  RC_ASSERT(bins.first_s <= bins.from_s && bins.from_s < bins.first_s + bins.step_s);
  RC_ASSERT(bins.end_s() >= bins.until_s && bins.until_s > bins.end_s() - bins.step_s);
  RC_ASSERT(bins.step_s % slot_s == 0 && bins.step_s % tiers()[p->tier].step_s == 0);
  RC_ASSERT(bins.count == 1U || bins.first_s % bins.step_s == 0);
  RC_ASSERT(bins.count == 1U || bins.step_s >= request.step_s.value_or(0));
  // No cliff: a step of a third would have been too fine.
  if (!request.step_s && most > 10 && bins.step_s > slot_s)
    RC_ASSERT(static_cast<size_t>((bins.until_s - bins.from_s) / (bins.step_s / 3)) + 2 > most);
}

}  // namespace
}  // namespace statmill
