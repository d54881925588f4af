// The memory shared by all connections is reserved up to its limit and released.
#include "server/http/byte_budget.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace statmill {
namespace {

TEST(ByteBudgetTest, ReservesUpToItsLimitAndReleases) {
  ByteBudget budget(10);
  auto first = budget.reserve(6);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(budget.reserve(5).has_value());
  EXPECT_EQ(budget.reserved(), 6u) << "a refused share is released";
  auto second = budget.reserve(4);
  EXPECT_TRUE(second.has_value());
  EXPECT_TRUE(budget.reserve(0).has_value());
  first.reset();
  EXPECT_EQ(budget.reserved(), 4u);
}

TEST(ByteBudgetTest, RefusesMoreThanThereIs) {
  ByteBudget budget(10);
  EXPECT_FALSE(budget.reserve(11).has_value());
  EXPECT_FALSE(budget.reserve(std::numeric_limits<size_t>::max()).has_value());
  EXPECT_EQ(budget.reserved(), 0u);
}

TEST(ByteBudgetTest, AShareGrowsAndShrinksWithinTheBudget) {
  ByteBudget budget(10);
  auto first = budget.reserve(0);
  auto second = budget.reserve(4);
  ASSERT_TRUE(first.has_value());
  EXPECT_TRUE(first->resize(6));
  EXPECT_FALSE(first->resize(7));
  EXPECT_EQ(budget.reserved(), 10u) << "a refused change changes nothing";
  EXPECT_TRUE(second->resize(1));
  EXPECT_TRUE(first->resize(9));
  EXPECT_FALSE(first->resize(std::numeric_limits<size_t>::max()));
  first.reset();
  EXPECT_EQ(budget.reserved(), 1u);
}

TEST(ByteBudgetTest, SmallAnswersHaveASixteenthOfTheirOwn) {
  ByteBudget budget(16 * kSmallAnswerBytesMax);
  auto body = budget.reserve(0);
  EXPECT_FALSE(body->resize(15 * kSmallAnswerBytesMax + 1));
  ASSERT_TRUE(body->resize(15 * kSmallAnswerBytesMax));
  EXPECT_FALSE(budget.reserve(1).has_value());
  EXPECT_FALSE(budget.reserve_answer(kSmallAnswerBytesMax + 1).has_value()) << "a large answer";
  const auto answer = budget.reserve_answer(kSmallAnswerBytesMax);
  EXPECT_TRUE(answer.has_value());
  EXPECT_FALSE(budget.reserve_answer(1).has_value()) << "all is in use";
  EXPECT_TRUE(budget.reserve(0).has_value()) << "a body begins with nothing";
  EXPECT_FALSE(budget.reserve(1).has_value());
}

TEST(ByteBudgetTest, MovedSharesCountOnce) {
  ByteBudget budget(10);
  {
    auto first = budget.reserve(3);
    auto second = budget.reserve(4);
    ByteBudget::Share moved = *std::move(first);
    *second = std::move(moved);
  }
  EXPECT_EQ(budget.reserved(), 0u);
}

}  // namespace
}  // namespace statmill
