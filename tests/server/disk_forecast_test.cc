// When the disk is full if the store grows on.
#include "server/disk_forecast.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

constexpr SteadyTime kBegin{std::chrono::hours(1)};

// Sizes of two tiers.
StoreStats stats_of(double first, double second) {
  StoreStats stats;
  stats.tiers = {{0, static_cast<uint64_t>(first)}, {1, static_cast<uint64_t>(second)}};
  return stats;
}

class DiskForecastTest : public testing::Test {
 protected:
  // Lets the tiers grow at these rates for so long, from what they had; ticks come each minute.
  void grow(double first_per_day, double second_per_day, Duration time) {
    for (const SteadyTime end = now_ + time; now_ < end; now_ += std::chrono::minutes(1)) {
      forecast_.tick(stats_of(first_, second_), now_);
      first_ += first_per_day / 1440;
      second_ += second_per_day / 1440;
    }
  }

  DiskForecast forecast_;
  SteadyTime now_ = kBegin;
  double first_ = 1e9;
  double second_ = 2e9;
};

TEST_F(DiskForecastTest, NothingIsKnownInTheFirstHour) {
  EXPECT_FALSE(forecast_.observed());
  grow(1e6, 0, std::chrono::minutes(60));
  EXPECT_FALSE(forecast_.observed());
  grow(1e6, 0, std::chrono::minutes(1));
  ASSERT_TRUE(forecast_.observed());
  EXPECT_EQ(forecast_.observed()->over, std::chrono::hours(1));
}

TEST_F(DiskForecastTest, EachTierHasItsOwnRate) {
  grow(144e6, -14.4e6, std::chrono::hours(5));
  const auto observed = forecast_.observed();
  ASSERT_TRUE(observed);
  ASSERT_EQ(observed->tiers.size(), 2U);
  EXPECT_NEAR(observed->tiers[0].bytes_per_day, 144e6, 10);
  EXPECT_NEAR(observed->tiers[1].bytes_per_day, -14.4e6, 10);
}

TEST_F(DiskForecastTest, OnlyTheLastDayCounts) {
  grow(1e9, 0, std::chrono::hours(48));
  grow(144e6, 0, std::chrono::hours(25));
  const auto observed = forecast_.observed();
  ASSERT_TRUE(observed);
  EXPECT_LE(observed->over, DiskForecast::kWindow);
  EXPECT_GT(observed->over, std::chrono::hours(23));
  EXPECT_NEAR(observed->tiers[0].bytes_per_day, 144e6, 10);
}

TEST_F(DiskForecastTest, ACompactionDoesNotTurnTheSlopeAround) {
  grow(144e6, 0, std::chrono::hours(20));
  first_ -= 10e6;
  grow(144e6, 0, std::chrono::hours(4));
  EXPECT_NEAR(forecast_.observed()->tiers[0].bytes_per_day, 144e6, 30e6);
}

TEST_F(DiskForecastTest, AStoreThatIsClosedIsLeftOut) {
  grow(144e6, 0, std::chrono::hours(2));
  forecast_.tick(StoreStats(), now_ + std::chrono::hours(1));
  ASSERT_TRUE(forecast_.observed());
  EXPECT_EQ(forecast_.observed()->tiers.size(), 2U);
}

TEST(DaysUntilGrown, PartsGrowForAWhile) {
  struct Case {
    std::vector<Growth> parts;
    double bytes;
    std::optional<double> days;
    const char* why;
  };
  const std::vector<Case> cases = {
      {{{10, 100}}, 50, 5, "a straight line"},
      {{{10, 100}}, 1000, 100, "just full"},
      {{{10, 100}}, 1001, std::nullopt, "retention ends the growth before"},
      {{{10, 10}, {5, 100}}, 200, 20, "150 in ten days, then 5 a day"},
      {{{5, 100}, {10, 10}}, 200, 20, "in any order"},
      {{{10, 100}, {-3, 100}}, 50, 5, "what shrinks leaves no room for long"},
      {{{10, 0}}, 50, std::nullopt, "a full tier grows no more"},
      {{}, 50, std::nullopt, "nothing grows"},
      {{{10, 1}}, 0, 0, "full already"},
  };
  for (const Case& c : cases) EXPECT_EQ(days_until_grown(c.parts, c.bytes), c.days) << c.why;
}

}  // namespace
}  // namespace statmill
