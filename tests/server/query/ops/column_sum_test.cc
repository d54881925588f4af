#include "server/query/ops/column_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace statmill {
namespace {

Numbers decimals(std::vector<int64_t> integers, int8_t scale) {
  Numbers numbers = Numbers::of_decimals(integers.size(), scale);
  numbers.present.set(0, integers.size());
  numbers.integers = std::move(integers);
  return numbers;
}

Numbers reals(std::vector<double> values) {
  Numbers numbers = Numbers::of_reals(values.size());
  for (size_t i = 0; i < values.size(); ++i) numbers.set(i, values[i]);
  return numbers;
}

Numbers sum_of(const std::vector<Numbers>& columns) {
  ColumnCount counts(columns.front().size());
  ColumnSum sum(columns.front().size());
  for (const Numbers& column : columns) {
    counts.add(column.present);
    sum.add(column);
  }
  return sum.sum(counts);
}

Numbers mean_of(const std::vector<Numbers>& columns) {
  ColumnCount counts(columns.front().size());
  ColumnSum sum(columns.front().size());
  for (const Numbers& column : columns) {
    counts.add(column.present);
    sum.add(column);
  }
  return sum.mean(counts);
}

TEST(ColumnSum, ScalesAreBroughtTogether) {
  const Numbers sum = sum_of({decimals({1, 2}, 0), decimals({5, 25}, 2), decimals({1, 1}, 1)});
  EXPECT_EQ(sum.scale, 2);
  EXPECT_EQ(sum.integers, (std::vector<int64_t>{115, 235}));
}

TEST(ColumnSum, AMeanIsTheNearestDouble) {
  EXPECT_EQ(mean_of({decimals({6838187061}, 8)}).reals[0], 68.38187061);
  EXPECT_EQ(mean_of({decimals({1}, 1), decimals({2}, 1), decimals({3}, 1)}).reals[0], 0.2);
}

TEST(ColumnSum, SumsBeyondALongAreRoundedOnce) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const Numbers sum = sum_of({decimals({kMost, 1}, 0), decimals({kMost, 1}, 0)});
  EXPECT_TRUE(sum.is_real());
  EXPECT_EQ(sum.reals, (std::vector<double>{18446744073709551614.0, 2}));
  EXPECT_EQ(sum_of({decimals({kMost}, 0), decimals({kMost}, 0), decimals({-kMost}, 0)}).integers[0], kMost);
}

TEST(ColumnSum, NumbersBeyond128BitsBecomeDoubles) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::vector<Numbers> columns(6, decimals({kMost}, 0));
  columns.push_back(decimals({1}, 18));
  EXPECT_DOUBLE_EQ(sum_of(columns).value(0), 6.0 * 9223372036854775807.0);
}

TEST(ColumnSum, DoublesAndDecimalsAddUp) {
  EXPECT_EQ(sum_of({decimals({5}, 1), reals({1e100}), reals({-1e100})}).reals[0], 0.5);
  EXPECT_EQ(mean_of({decimals({5}, 1), reals({1.5})}).reals[0], 1);
}

TEST(ColumnSum, AbsentPointsDoNotCount) {
  Numbers half = decimals({7, 0}, 0);
  half.present.clear(1);
  const Numbers mean = mean_of({half, decimals({1, 2}, 0)});
  EXPECT_EQ(mean.reals, (std::vector<double>{4, 2}));
  EXPECT_EQ(sum_of({half}).present.count(), 1U);
}

TEST(ColumnExtreme, ComparesAcrossScales) {
  ColumnExtreme least(ColumnExtreme::Kind::kMin, 2);
  least.add(decimals({3, 100}, 0));
  least.add(decimals({29, 1001}, 1));
  const Numbers numbers = least.take();
  EXPECT_EQ(numbers.scale, 1);
  EXPECT_EQ(numbers.integers, (std::vector<int64_t>{29, 1000}));
}

TEST(ColumnExtreme, NanLosesToAnyNumber) {
  ColumnExtreme most(ColumnExtreme::Kind::kMax, 1);
  most.add(reals({std::numeric_limits<double>::quiet_NaN()}));
  most.add(decimals({-5}, 0));
  most.add(reals({std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_EQ(most.take().reals[0], -5);
}

RC_GTEST_PROP(ColumnSum, TheOrderOfDecimalsDoesNotMatter, ()) {
  const size_t points = *rc::gen::inRange<size_t>(1, 70);
  std::vector<Numbers> columns;
  const size_t count = *rc::gen::inRange<size_t>(1, 8);
  for (size_t c = 0; c < count; ++c) {
    Numbers column = Numbers::of_decimals(points, static_cast<int8_t>(*rc::gen::inRange(0, 19)));
    for (size_t i = 0; i < points; ++i) {
      if (*rc::gen::inRange(0, 4) == 0) continue;
      column.present.set(i);
      column.integers[i] = *rc::gen::arbitrary<int64_t>() % 1'000'000'000'000;
    }
    columns.push_back(column);
  }
  const Numbers forward = sum_of(columns);
  const Numbers mean = mean_of(columns);
  std::reverse(columns.begin(), columns.end());
  const Numbers backward = sum_of(columns);
  RC_ASSERT(forward.scale == backward.scale);
  RC_ASSERT(forward.integers == backward.integers);
  RC_ASSERT(forward.reals == backward.reals);
  RC_ASSERT(forward.present == backward.present);
  RC_ASSERT(mean.reals == mean_of(columns).reals);
}

}  // namespace
}  // namespace statmill
