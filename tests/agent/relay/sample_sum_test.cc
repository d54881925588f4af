// A sum holds exactly what a line can express, and nothing else.
#include "agent/relay/sample_sum.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

Number number(std::string_view text) {
  Number out;
  EXPECT_TRUE(parse_number(text, out).is_accepted()) << text;
  return out;
}

TEST(SampleSum, AddsDecimalsOfAnyDigits) {
  SampleSum sum(Kind::kGauge, number("1.5"), 1);
  ASSERT_TRUE(sum.add(Kind::kGauge, number("-0.25"), 1));
  ASSERT_TRUE(sum.add(Kind::kGauge, number("3"), 2));
  EXPECT_EQ(sum.count(), 4U);
  EXPECT_EQ(sum.sum(), number("7.25"));
  EXPECT_EQ(sum.rest().sum_of_squares, number("20.3125"));
  EXPECT_EQ(sum.rest().min, number("-0.25"));
  EXPECT_EQ(sum.rest().max, number("3"));
}

TEST(SampleSum, HoldsOnlyWhatALineCanExpress) {
  EXPECT_TRUE(SampleSum::can_hold(Kind::kGauge, number("999999999"), 1)) << "its square is just below 10^18";
  EXPECT_FALSE(SampleSum::can_hold(Kind::kGauge, number("1000000000"), 1));
  EXPECT_FALSE(SampleSum::can_hold(Kind::kGauge, number("999999999"), 2));
  EXPECT_TRUE(SampleSum::can_hold(Kind::kEvent, number("999999999999999999"), 1)) << "an event has no square";
  EXPECT_TRUE(SampleSum::can_hold(Kind::kCounter, number("999999999999999999"), 1))
      << "neither has an increment";
  EXPECT_TRUE(SampleSum::can_hold(Kind::kGauge, number("0.000000001"), 1));
  EXPECT_FALSE(SampleSum::can_hold(Kind::kGauge, number("0.0000000001"), 1)) << "20 decimals of the square";
  EXPECT_FALSE(SampleSum::can_hold(Kind::kGauge, number("1e300"), 1)) << "not a decimal";
}

TEST(SampleSum, ASampleThatDoesNotFitChangesNothing) {
  SampleSum squares(Kind::kGauge, number("900000000"), 1);
  EXPECT_FALSE(squares.add(Kind::kGauge, number("900000000"), 1));
  EXPECT_FALSE(squares.add(Kind::kGauge, number("0.000000001"), 1))
      << "its square has no room for 18 decimals";
  EXPECT_EQ(squares.count(), 1U);
  EXPECT_EQ(squares.sum(), number("900000000"));
  SampleSum event(Kind::kEvent, number("999999999999999999"), 1);
  EXPECT_FALSE(event.add(Kind::kEvent, number("1"), 1));
  EXPECT_TRUE(event.add(Kind::kEvent, number("-2"), 1));
  EXPECT_EQ(event.sum(), number("999999999999999997"));
}

}  // namespace
}  // namespace statmill
