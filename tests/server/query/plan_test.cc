// make_plan(): the tier and step for a table of requests.
#include "server/query/plan.h"

#include <gtest/gtest.h>

#include "tests/support/times.h"

namespace statmill {
namespace {

constexpr int64_t kBetweenSlots = kNow + 3;

QueryRequest ask(int64_t from_ago, int64_t until_ago, std::optional<int64_t> step = {},
                 std::optional<int64_t> points = {}) {
  return {{"x"}, kBetweenSlots - from_ago, kBetweenSlots - until_ago, step, points};
}

Result<QueryPlan> plan(const QueryRequest& request, int64_t points_max = 1'000'000) {
  static const Tiers tiers = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  return make_plan(request, tiers, points_max, from_unix_seconds(kBetweenSlots));
}

TEST(Plan, ChoosesTheFinestTierThatCoversAndFits) {
  struct Case {
    QueryRequest request;
    int64_t tier;
    int64_t step_s;
    const char* why;
  };
  const Case cases[] = {
      {ask(kHour, 0), 0, 10, "an hour is 360 slots of 10 s"},
      {ask(6 * kHour, 0), 1, 300, "six hours of 10 s are over 1000 points"},
      {ask(6 * kHour, 0, {}, 5000), 0, 10, "6 h of 10 s fit in 5000 points"},
      {ask(10 * kDay, 0), 2, kHour, "ten days of 5 m are 2880"},
      {ask(20 * kDay, 20 * kDay - kHour), 1, 300, "10 s are gone after 10 days"},
      {ask(2 * 365 * kDay, 2 * 365 * kDay - kHour), 2, kHour, "5 m are gone after a year"},
      {ask(300 * kDay, 0), 2, 8 * kHour, "7200 hours need a round step of 8 h"},
      {ask(9 * 365 * kDay, 8 * 365 * kDay), 2, 12 * kHour, "older than all: the coarsest"},
      {ask(kHour, 0, 10), 0, 10, "the requested step"},
      {ask(kHour, 0, 60), 0, 60, "a multiple of 10 s only"},
      {ask(kHour, 0, 300), 1, 300, "the coarsest tier that divides it costs least"},
      {ask(kHour, 0, 7200), 2, 7200, "the coarsest tier again"},
      {ask(kHour, 0, 7), 0, 10, "rounded up to the tier's step"},
      {ask(20 * kDay, 0, 10), 1, 300, "raised to what still exists"},
      {ask(kDay, 0, 10, 100), 0, 900, "raised until the points fit"},
  };
  for (const Case& c : cases) {
    const auto p = plan(c.request);
    ASSERT_TRUE(p) << c.why;
    EXPECT_EQ(int64_t{p->tier}, c.tier) << c.why;
    EXPECT_EQ(p->step_s, c.step_s) << c.why;
    EXPECT_EQ(p->from_s % p->step_s, 0) << c.why;
    EXPECT_EQ(p->until_s % p->step_s, 0) << c.why;
    EXPECT_LE(p->from_s, c.request.from_s) << c.why;
    EXPECT_GE(p->until_s, c.request.until_s) << c.why;
    EXPECT_LT(p->until_s - c.request.until_s + c.request.from_s - p->from_s, 2 * p->step_s) << c.why;
  }
}

TEST(Plan, RefusesInvalidRequests) {
  EXPECT_EQ(plan(ask(0, 0)).error().code, ErrorCode::kInvalid) << "empty range";
  EXPECT_EQ(plan(ask(0, kHour)).error().code, ErrorCode::kInvalid) << "until before from";
  EXPECT_EQ(plan(ask(kHour, 0, 0)).error().code, ErrorCode::kInvalid) << "step 0";
  EXPECT_EQ(plan(ask(kHour, 0, {}, 0)).error().code, ErrorCode::kInvalid) << "no points";
  EXPECT_EQ(plan(ask(kDay, 0, 10), 1000).error().code, ErrorCode::kLimit) << "more than the limit";
}

}  // namespace
}  // namespace statmill
