#include "base/weak_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace statmill {
namespace {

using testing::ElementsAre;

TEST(WeakList, CallsLiveObjects) {
  WeakList<int> list;
  const auto one = std::make_shared<int>(1);
  auto two = std::make_shared<int>(2);
  const auto three = std::make_shared<int>(3);
  for (const auto& object : {one, two, three}) list.add(object);
  two.reset();
  std::vector<int> called;
  list.for_each([&](int n) { called.push_back(n); });
  EXPECT_THAT(called, ElementsAre(1, 3));
}

TEST(WeakList, RemovesExpiredEntries) {
  WeakList<int> list;
  const auto kept = std::make_shared<int>(-1);
  list.add(kept);
  for (int i = 0; i < 10'000; ++i) list.add(std::make_shared<int>(i));
  EXPECT_LE(list.entries(), 66U);
  std::vector<int> called;
  list.for_each([&](int n) { called.push_back(n); });
  EXPECT_THAT(called, ElementsAre(-1));
}

TEST(WeakList, KeepsAllLiveObjects) {
  WeakList<int> list;
  std::vector<std::shared_ptr<int>> alive;
  for (int i = 0; i < 1000; ++i) list.add(alive.emplace_back(std::make_shared<int>(i)));
  size_t called = 0;
  list.for_each([&](int) { ++called; });
  EXPECT_EQ(called, 1000U);
}

}  // namespace
}  // namespace statmill
