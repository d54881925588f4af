#include "base/heavy_hitters.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace statmill {
namespace {

std::string text_of(const std::vector<HeavyHitters::Hitter>& hitters) {
  std::string out;
  for (const auto& [key, count] : hitters) out += key + "=" + std::to_string(count) + " ";
  return out;
}

TEST(HeavyHitters, CountsExactlyUpToTheLimit) {
  HeavyHitters hitters(4);
  for (const char* key : {"b", "a", "c", "a", "d"}) hitters.add(key);
  hitters.add("c", 5);
  hitters.add("d", 0);
  EXPECT_EQ(text_of(hitters.top(3)), "c=6 a=2 b=1 ");
  EXPECT_EQ(text_of(hitters.top(9)), "c=6 a=2 b=1 d=1 ");
  EXPECT_EQ(hitters.total(), 10U);
  EXPECT_EQ(hitters.missed(), 0U);
}

TEST(HeavyHitters, FindsAHeavyKeyAmongManyLightOnes) {
  HeavyHitters hitters(100);
  for (int i = 0; i < 100'000; ++i) hitters.add(i % 10 == 0 ? "heavy" : "light." + std::to_string(i));
  EXPECT_LE(hitters.size(), 100U);
  const auto top = hitters.top(1);
  ASSERT_EQ(top.size(), 1U);
  EXPECT_EQ(top[0].key, "heavy");
  EXPECT_GE(top[0].count + hitters.missed(), 10'000U);
}

RC_GTEST_PROP(HeavyHitters, CountsAreTooLowByAtMostMissed, ()) {
  const auto limit = *rc::gen::inRange<size_t>(2, 12);
  const auto stream = *rc::gen::container<std::vector<std::pair<uint8_t, uint64_t>>>(
      rc::gen::pair(rc::gen::inRange<uint8_t>(0, 40), rc::gen::inRange<uint64_t>(0, 20)));
  HeavyHitters hitters(limit);
  std::map<std::string, uint64_t> truth;
  uint64_t total = 0;
  for (const auto& [key, weight] : stream) {
    hitters.add(std::to_string(key), weight);
    truth[std::to_string(key)] += weight;
    total += weight;
    RC_ASSERT(hitters.size() <= limit);
  }
  RC_ASSERT(hitters.total() == total);
  RC_ASSERT(hitters.missed() <= 2 * total / limit);
  std::map<std::string, uint64_t> counted;
  for (const auto& [key, count] : hitters.top(limit)) counted[key] = count;
  for (const auto& [key, weight] : truth) {
    const uint64_t count = counted.contains(key) ? counted[key] : 0;
    RC_ASSERT(count <= weight);
    RC_ASSERT(weight <= count + hitters.missed());
  }
}

}  // namespace
}  // namespace statmill
