#include "base/burst.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(Burst, KeepsMemoryForTheLastNumberOfEntries) {
  std::vector<int> list(1000);
  const size_t capacity = list.capacity();
  clear_burst(list);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.capacity(), capacity);
  list.resize(capacity / 8);
  clear_burst(list);
  EXPECT_EQ(list.capacity(), capacity);
}

TEST(Burst, ReleasesMemoryThatOnlyABurstNeeded) {
  std::vector<int> list(1000);
  clear_burst(list);
  list.push_back(1);
  clear_burst(list);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.capacity(), 0U);
}

TEST(Burst, AlwaysKeepsASmallCapacity) {
  std::vector<int> list(64);
  const size_t capacity = list.capacity();
  clear_burst(list);
  clear_burst(list);
  EXPECT_EQ(list.capacity(), capacity);
}

}  // namespace
}  // namespace statmill
