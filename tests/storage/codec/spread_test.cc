#include "storage/codec/spread.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace statmill {
namespace {

using Integers = std::vector<int64_t>;

// The numbers of a bucket of these samples, computed one by one.
struct Sums {
  explicit Sums(const Integers& samples) : count(samples.size()) {
    d.min = *std::min_element(samples.begin(), samples.end());
    d.max = *std::max_element(samples.begin(), samples.end());
    for (const int64_t v : samples) {
      d.sum += v;
      d.sum_of_squares += Int128{v} * v;
    }
  }
  std::optional<SpreadBounds> bounds(SpreadRule rule) const {
    return spread_bounds(rule, count, d.sum, d.min, d.max);
  }
  std::optional<Uint128> spread(SpreadRule rule) const {
    return spread_of(rule, bounds(rule).value(), count, d);
  }
  Int128 squares(SpreadRule rule, Uint128 spread) const {
    return squares_of(rule, bounds(rule).value(), spread, count, d.sum, d.min, d.max);
  }

  uint64_t count = 0;
  Bucket::Decimal d;
};

void expect_round_trip(SpreadRule rule, const Sums& sums) {
  const auto bounds = sums.bounds(rule);
  RC_ASSERT(bounds.has_value());
  const auto spread = sums.spread(rule);
  RC_ASSERT(spread.has_value());
  RC_ASSERT(*spread <= bounds->room);
  RC_ASSERT(sums.squares(rule, *spread) == sums.d.sum_of_squares);
}

RC_GTEST_PROP(Spread, HoldsTheSquaresOfAnyIntegers, ()) {
  const auto count = *rc::gen::inRange<size_t>(4, 40);
  const auto shift = *rc::gen::inRange(8, 64);  // samples of 56 bits add up without overflow
  Integers samples;
  for (const int64_t any : *rc::gen::container<Integers>(count, rc::gen::arbitrary<int64_t>()))
    samples.push_back(any >> shift);
  const Sums sums(samples);
  if (sums.bounds(SpreadRule::kIntegers)) {
    expect_round_trip(SpreadRule::kIntegers, sums);
    expect_round_trip(SpreadRule::kRounded, sums);
  } else {
    RC_ASSERT(shift < 16);  // only the largest ranges are too large for the arithmetic
  }
}

// Calls `use` with each ascending list of `count` integers in 0 .. `most` after `samples`.
void for_each_list(Integers& samples, size_t count, int64_t most,
                   const std::function<void(const Sums&)>& use) {
  if (samples.size() == count) return use(Sums(samples));
  for (int64_t next = samples.empty() ? 0 : samples.back(); next <= most; ++next) {
    samples.push_back(next);
    for_each_list(samples, count, most, use);
    samples.pop_back();
  }
}

// The room is what the other numbers leave open: all lists of integers fit, and some list needs no spread.
TEST(Spread, BoundsHoldForEveryListOfSmallIntegersAndTheLowerOneIsReached) {
  for (size_t count = 4; count <= 6; ++count) {
    for (int64_t sum = 0; sum <= static_cast<int64_t>(count) * 6; ++sum) {
      std::optional<Uint128> least;
      Integers samples;
      for_each_list(samples, count, 6, [&](const Sums& sums) {
        if (sums.d.sum != sum || sums.d.min != 0 || sums.d.max != 6) return;
        const auto spread = sums.spread(SpreadRule::kIntegers);
        ASSERT_TRUE(spread && *spread <= sums.bounds(SpreadRule::kIntegers)->room);
        ASSERT_TRUE(sums.spread(SpreadRule::kRounded));
        least = std::min(least.value_or(*spread), *spread);
      });
      const bool is_possible = sum >= 6 && sum <= static_cast<int64_t>(count - 1) * 6;
      ASSERT_EQ(least.has_value(), is_possible) << sum;
      ASSERT_EQ(spread_bounds(SpreadRule::kIntegers, count, sum, 0, 6).has_value(), is_possible) << sum;
      if (!least) continue;
      ASSERT_TRUE(*least == 0) << count << " integers that add up to " << sum;
    }
  }
}

TEST(Spread, ThreeIntegersLeaveNothingOpen) {
  for (const Integers& samples : {Integers{-5, 3, 11}, {-5, -5, 11}, {-5, 11, 11}, {0, 0, 0}})
    EXPECT_TRUE(Sums(samples).spread(SpreadRule::kIntegers) == Uint128{0}) << samples[1];
}

TEST(Spread, RefusesSquaresThatNoSamplesHave) {
  Sums sums({0, 2, 5, 9, 10});
  const SpreadBounds bounds = sums.bounds(SpreadRule::kIntegers).value();
  const auto spread_with = [&](Int128 squares) {
    sums.d.sum_of_squares = squares;
    return sums.spread(SpreadRule::kIntegers).has_value();
  };
  const Int128 least = sums.squares(SpreadRule::kIntegers, 0);
  const Int128 most = sums.squares(SpreadRule::kIntegers, bounds.room);
  EXPECT_TRUE(spread_with(least) && spread_with(most));
  EXPECT_FALSE(spread_with(least - 2));
  EXPECT_FALSE(spread_with(least + 1)) << "the squares are odd if the sum is odd";
  EXPECT_FALSE(spread_with(most + 2));
}

TEST(Spread, HasNoBoundsForNumbersThatNoSamplesHave) {
  EXPECT_FALSE(spread_bounds(SpreadRule::kIntegers, 4, 9, 0, 10)) << "one sample is 10";
  EXPECT_FALSE(spread_bounds(SpreadRule::kIntegers, 4, 31, 0, 10)) << "one sample is 0";
  EXPECT_TRUE(spread_bounds(SpreadRule::kRounded, 4, 9, 0, 10)) << "a sender may have rounded";
  EXPECT_FALSE(spread_bounds(SpreadRule::kRounded, 4, 41, 0, 10));
  EXPECT_FALSE(spread_bounds(SpreadRule::kRounded, 4, -1, 0, 10));
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  EXPECT_FALSE(spread_bounds(SpreadRule::kRounded, 4, 0, kLeast, -(kLeast + 1))) << "too large for 128 bits";
}

}  // namespace
}  // namespace statmill
