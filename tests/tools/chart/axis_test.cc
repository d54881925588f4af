#include "tools/statmill/chart/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace statmill {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(const ValueAxis& axis) {
  std::vector<std::string> out;
  for (const ValueTick& tick : axis.ticks) out.push_back(tick.label);
  return out;
}

std::vector<std::string> labels(const std::vector<TimeTick>& ticks) {
  std::vector<std::string> out;
  for (const TimeTick& tick : ticks) out.push_back(tick.label);
  return out;
}

TEST(ValueAxis, HasRoundNumbersAroundTheValues) {
  const Unit percent{Unit::Kind::kPercent};
  EXPECT_THAT(labels(value_axis(3, 97, percent, 5)), ElementsAre("0 %", "50 %", "100 %"));
  EXPECT_THAT(labels(value_axis(91, 97, percent, 5)), ElementsAre("90 %", "92 %", "94 %", "96 %", "98 %"));
  EXPECT_THAT(labels(value_axis(-3, 4, {}, 4)), ElementsAre("-5", "0", "5"));
  EXPECT_THAT(labels(value_axis(0, 0, {}, 3)), ElementsAre("0", "0.5", "1.0"));
  EXPECT_THAT(labels(value_axis(7, 7, {}, 3)), ElementsAre("0", "5", "10"));
  EXPECT_THAT(labels(value_axis(0, 1.9 * (1 << 20), {Unit::Kind::kBytes}, 3)),
              ElementsAre("0 MiB", "1 MiB", "2 MiB"));
}

TEST(ValueAxis, HoldsAllValuesWithFewTicks) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-12, 12);
  std::uniform_int_distribution<int> ticks(2, 12);
  for (int i = 0; i < 20'000; ++i) {
    double low = std::pow(10, exponent(random)) * (i % 3 == 0 ? -1 : 1);
    double high = std::pow(10, exponent(random)) * (i % 5 == 0 ? -1 : 1);
    if (low > high) std::swap(low, high);
    const int ticks_max = ticks(random);
    const ValueAxis axis = value_axis(low, high, {}, ticks_max);
    const double slack = 0.011 * (axis.ticks[1].value - axis.ticks[0].value);  // less than a dot
    ASSERT_LE(axis.low, low + slack) << low << " " << high << " " << ticks_max;
    ASSERT_GE(axis.high, high - slack) << low << " " << high << " " << ticks_max;
    ASSERT_GE(axis.ticks.size(), 2U);
    ASSERT_LE(axis.ticks.size(), static_cast<size_t>(std::max(ticks_max, 3))) << low << " " << high;
  }
}

const Zone kUtc = [](int64_t) { return ZoneOffset(); };
// Two hours east until 2026-10-25 01:00 UTC, then one.
const Zone kBerlin = [](int64_t unix_s) {
  return unix_s < 1'792'890'000 ? ZoneOffset{7200, "CEST"} : ZoneOffset{3600, "CET"};
};

TEST(TimeTicks, AreRoundLocalTimes) {
  constexpr int64_t kNoon = 1'795'435'200;  // 2026-11-23 12:00 UTC
  EXPECT_THAT(labels(time_ticks(kNoon + 1, kNoon + 3600, 5, kUtc)), ElementsAre("12:15", "12:30", "12:45"));
  EXPECT_THAT(labels(time_ticks(kNoon, kNoon + 40, 5, kUtc)),
              ElementsAre("12:00:00", "12:00:10", "12:00:20", "12:00:30"));
  EXPECT_THAT(labels(time_ticks(kNoon, kNoon + 86400, 5, kUtc)),
              ElementsAre("12:00", "18:00", "Nov 24", "06:00"));
  EXPECT_THAT(labels(time_ticks(kNoon, kNoon + 86400, 5, kBerlin)),
              ElementsAre("18:00", "Nov 24", "06:00", "12:00"));
  EXPECT_THAT(labels(time_ticks(kNoon - 3 * 86400, kNoon, 4, kUtc)),
              ElementsAre("Nov 21", "Nov 22", "Nov 23"));
}

TEST(TimeTicks, StayRoundWhenTheOffsetChanges) {
  constexpr int64_t kMidnight = 1'792'879'200;  // 2026-10-25 00:00 in Berlin
  EXPECT_THAT(labels(time_ticks(kMidnight, kMidnight + 5 * 3600, 8, kBerlin)),
              ElementsAre("Oct 25", "01:00", "02:00", "02:00", "03:00"));
  EXPECT_THAT(labels(time_ticks(kMidnight, kMidnight + 24 * 3600, 9, kBerlin)),
              ElementsAre("Oct 25", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00"));
}

TEST(TimeTicks, AreFewForAnyRange) {
  for (int64_t range_s = 1; range_s < int64_t{40} * 365 * 86400; range_s = range_s * 3 / 2 + 1) {
    const auto ticks = time_ticks(1'795'435'217, 1'795'435'217 + range_s, 6, kBerlin);
    EXPECT_LE(ticks.size(), 6U) << range_s;
    EXPECT_TRUE(range_s <= 10 || !ticks.empty()) << range_s;
  }
}

TEST(LocalText, IsInTheZone) {
  EXPECT_EQ(local_text(1'795'435'217, kUtc), "2026-11-23 12:00:17");
  EXPECT_EQ(local_text(1'795'435'217, kBerlin), "2026-11-23 13:00:17");
  EXPECT_EQ(local_text(-1, kUtc), "1969-12-31 23:59:59");
}

}  // namespace
}  // namespace statmill
