// Each function by values worked out by hand.
#include "server/query/ops/sample_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace statmill {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Samples {
  std::vector<int64_t> times_ms;
  std::vector<double> values;
};

// Samples at 5 s, 15 s, 25 s, ...
Samples each_ten_seconds(std::vector<double> values) {
  Samples samples{{}, std::move(values)};
  for (size_t i = 0; i < samples.values.size(); ++i) {
    samples.times_ms.push_back(static_cast<int64_t>(i) * 10'000 + 5'000);
  }
  return samples;
}

// The window (0 s, 60 s], at the point 60 s.
std::optional<double> of(LeafFunction function, const Samples& samples,
                         const std::vector<double>& parameters = {}) {
  return sample_function(function,
                         {.times_ms = samples.times_ms,
                          .values = samples.values,
                          .begin_ms = 0,
                          .end_ms = 60'000,
                          .point_ms = 60'000},
                         parameters);
}

double value_of(LeafFunction function, std::vector<double> values,
                const std::vector<double>& parameters = {}) {
  return of(function, each_ten_seconds(std::move(values)), parameters).value();
}

using enum LeafFunction;

TEST(SampleFunctions, StatisticsOfTheValues) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_EQ(value_of(kAvg, values), 5);
  EXPECT_EQ(value_of(kSum, values), 40);
  EXPECT_EQ(value_of(kCount, values), 8);
  EXPECT_EQ(value_of(kMin, values), 2);
  EXPECT_EQ(value_of(kMax, values), 9);
  EXPECT_EQ(value_of(kStdvar, values), 4);
  EXPECT_EQ(value_of(kStddev, values), 2);
  EXPECT_EQ(value_of(kFirst, values), 2);
  EXPECT_EQ(value_of(kLast, values), 9);
  EXPECT_EQ(value_of(kPresent, values), 1);
}

TEST(SampleFunctions, SumsAreCompensated) {
  EXPECT_EQ(value_of(kSum, {1e100, 1, -1e100}), 1);
  EXPECT_EQ(value_of(kAvg, {1e100, 3, -1e100}), 1);
  EXPECT_EQ(value_of(kAvg, {1.5e308, 1.5e308}), 1.5e308);
  EXPECT_EQ(value_of(kSum, {1, kInfinity}), kInfinity);
  EXPECT_EQ(value_of(kAvg, {1, kInfinity}), kInfinity);
  EXPECT_TRUE(std::isnan(value_of(kSum, {-kInfinity, kInfinity})));
}

TEST(SampleFunctions, NanIsAnExtremeOnlyAlone) {
  EXPECT_EQ(value_of(kMin, {kNan, 3, 2}), 2);
  EXPECT_EQ(value_of(kMax, {3, kNan, 2}), 3);
  EXPECT_TRUE(std::isnan(value_of(kMax, {kNan, kNan})));
  EXPECT_TRUE(std::isnan(value_of(kSum, {1, kNan})));
}

TEST(SampleFunctions, NoSampleIsNoValue) {
  EXPECT_FALSE(of(kSum, {}));
  EXPECT_FALSE(of(kCount, {}));
  for (const LeafFunction function : {kRate, kIncrease, kDelta, kIrate, kIdelta, kDeriv}) {
    EXPECT_FALSE(of(function, each_ten_seconds({1})));
  }
  EXPECT_FALSE(of(kPredictLinear, each_ten_seconds({1}), {10}));
  EXPECT_FALSE(of(kSmoothing, each_ten_seconds({1}), {0.5, 0.5}));
}

TEST(SampleFunctions, RatesReachTheEdgesOfTheWindow) {
  // 50 s between the outer samples, and 5 s to each edge.
  const std::vector<double> values = {10, 20, 30, 40, 50, 60};
  EXPECT_DOUBLE_EQ(value_of(kDelta, values), 60);
  EXPECT_DOUBLE_EQ(value_of(kIncrease, values), 60);
  EXPECT_DOUBLE_EQ(value_of(kRate, values), 1);
  EXPECT_DOUBLE_EQ(value_of(kDelta, {60, 50, 40, 30, 20, 10}), -60);
}

TEST(SampleFunctions, RatesStopWhereACounterWasZero) {
  // 1 at 5 s, 10 per 10 s: zero at 4 s, so only 1 s to the begin.
  EXPECT_DOUBLE_EQ(value_of(kIncrease, {1, 11, 21, 31, 41, 51}), 50 * 56.0 / 50);
  EXPECT_DOUBLE_EQ(value_of(kDelta, {1, 11, 21, 31, 41, 51}), 60);
}

TEST(SampleFunctions, RatesDoNotReachFarEdges) {
  // 35 s after the last sample, more than 1.1 times the distance of samples: half of that, 5 s.
  EXPECT_DOUBLE_EQ(value_of(kDelta, {10, 20, 30}), 20 * 30.0 / 20);
}

TEST(SampleFunctions, AResetAddsTheValueBeforeIt) {
  // 100, 110, reset, 5, 15, 25, 35: 10 + 5 + 30 = 45 in 50 s.
  EXPECT_DOUBLE_EQ(value_of(kIncrease, {100, 110, 5, 15, 25, 35}), 45 * 60.0 / 50);
  EXPECT_EQ(value_of(kResets, {100, 110, 5, 15, 2, 2}), 2);
}

TEST(SampleFunctions, IrateAndIdeltaUseTheLastTwo) {
  EXPECT_EQ(value_of(kIrate, {1, 2, 30, 50}), 2);
  EXPECT_EQ(value_of(kIrate, {1, 2, 50, 30}), 3);
  EXPECT_EQ(value_of(kIdelta, {1, 2, 50, 30}), -20);
}

TEST(SampleFunctions, ChangesIgnoreNanAfterNan) {
  EXPECT_EQ(value_of(kChanges, {1, 1, 2, kNan, kNan, 2}), 3);
  EXPECT_EQ(value_of(kChanges, {1}), 0);
}

TEST(SampleFunctions, TimesAreInSeconds) {
  const std::vector<double> values = {3, 9, 1, 9, 1, 2};
  EXPECT_EQ(value_of(kTimeOfFirst, values), 5);
  EXPECT_EQ(value_of(kTimeOfLast, values), 55);
  EXPECT_EQ(value_of(kTimeOfMin, values), 45);
  EXPECT_EQ(value_of(kTimeOfMax, values), 35);
}

TEST(SampleFunctions, LinesAreFitted) {
  // 1 per second; 60 s is the point, so 10 s after it is 5 s after 65 s.
  EXPECT_DOUBLE_EQ(value_of(kDeriv, {10, 20, 30, 40}), 1);
  EXPECT_DOUBLE_EQ(value_of(kPredictLinear, {10, 20, 30, 40}, {10}), 75);
  // Least squares of (0, 1), (10, 2), (20, 6): slope 5 / 20.
  EXPECT_DOUBLE_EQ(value_of(kDeriv, {1, 2, 6}), 0.25);
  EXPECT_EQ(value_of(kDeriv, {7, 7, 7}), 0);
  EXPECT_TRUE(std::isnan(value_of(kDeriv, {kInfinity, kInfinity})));
}

TEST(SampleFunctions, SmoothingFollowsLevelAndTrend) {
  // Level 1, trend 2; 3 of 3 samples: 0.5 * 3 + 0.5 * (1 + 2) = 3; trend 0.1 * 2 + 0.9 * 2 = 2; then
  // 0.5 * 9 + 0.5 * (3 + 2) = 7.
  EXPECT_DOUBLE_EQ(value_of(kSmoothing, {1, 3, 9}, {0.5, 0.1}), 7);
  EXPECT_TRUE(check_sample_parameters(kSmoothing, std::vector<double>{0.5, 0.1}));
  EXPECT_EQ(check_sample_parameters(kSmoothing, std::vector<double>{1, 0.1}).error().message,
            "invalid smoothing factor. Expected: 0 < sf < 1, got: 1.000000");
  EXPECT_EQ(check_sample_parameters(kSmoothing, std::vector<double>{0.5, kNan}).error().message,
            "invalid trend factor. Expected: 0 < tf < 1, got: nan");
}

TEST(SampleFunctions, QuantilesAreInterpolated) {
  EXPECT_DOUBLE_EQ(value_of(kQuantile, {4, 1, 3, 2}, {0.5}), 2.5);
  EXPECT_DOUBLE_EQ(value_of(kQuantile, {4, 1, 3, 2}, {0.9}), 3.7);
  EXPECT_EQ(value_of(kQuantile, {4, 1}, {0}), 1);
  EXPECT_EQ(value_of(kQuantile, {4, 1}, {1}), 4);
  EXPECT_EQ(value_of(kQuantile, {4, 1}, {-0.1}), -kInfinity);
  EXPECT_EQ(value_of(kQuantile, {4, 1}, {1.1}), kInfinity);
  EXPECT_TRUE(std::isnan(value_of(kQuantile, {4, 1}, {kNan})));
  // The median is 4; deviations 3, 2, 0, 1, 96.
  EXPECT_DOUBLE_EQ(value_of(kMad, {1, 2, 4, 5, 100}), 2);
}

}  // namespace
}  // namespace statmill
