// The memory that all connections share is given out up to its limit and comes back.
#include "server/http/byte_budget.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace statmill {
namespace {

TEST(ByteBudgetTest, GivesUpToItsLimitAndTakesBack) {
  ByteBudget budget(10);
  auto first = budget.take(6);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(budget.take(5).has_value());
  EXPECT_EQ(budget.taken(), 6u) << "a refused share is not held";
  auto second = budget.take(4);
  EXPECT_TRUE(second.has_value());
  EXPECT_TRUE(budget.take(0).has_value());
  first.reset();
  EXPECT_EQ(budget.taken(), 4u);
}

TEST(ByteBudgetTest, RefusesMoreThanThereIs) {
  ByteBudget budget(10);
  EXPECT_FALSE(budget.take(11).has_value());
  EXPECT_FALSE(budget.take(std::numeric_limits<size_t>::max()).has_value());
  EXPECT_EQ(budget.taken(), 0u);
}

TEST(ByteBudgetTest, MovedSharesCountOnce) {
  ByteBudget budget(10);
  {
    auto first = budget.take(3);
    auto second = budget.take(4);
    ByteBudget::Share moved = *std::move(first);
    *second = std::move(moved);
  }
  EXPECT_EQ(budget.taken(), 0u);
}

}  // namespace
}  // namespace statmill
