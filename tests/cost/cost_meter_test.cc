// The meter finds costs that grow faster than the input.
#include "tests/support/cost_meter.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "base/text.h"
#include "tests/cost/linear_cost.h"

namespace statmill {
namespace {

std::string lines(size_t bytes) {
  return series_of(bytes, [](const std::string& i) { return i + "\n"; });
}

CostCase scan(std::function<void(const std::string&)> run) {
  return {"scan", lines, std::move(run), 100, 1000, 96 << 10};
}

TEST(CostMeter, CountsAllocations) {
  const Cost cost = cost_of([] { std::string(1000, 'x').shrink_to_fit(); });
  EXPECT_GE(cost.bytes, 1000U);
  EXPECT_LT(cost.bytes, 5000U);
}

TEST(CostMeter, ALinearScanIsWithinItsBound) {
  EXPECT_TRUE(is_linear(scan([](const std::string& text) {
    std::unordered_set<std::string> seen;
    for (const std::string_view line : split(text, '\n')) seen.emplace(line);
  })));
}

// The planted bugs.

TEST(CostMeter, FindsAQuadraticLoop) {
  EXPECT_FALSE(is_linear(scan([](const std::string& text) {
    size_t same = 0;
    const auto all = split(text, '\n');
    for (const auto a : all)
      for (const auto b : all) same += a == b ? 1U : 0U;
    EXPECT_EQ(same, all.size());
  })));
}

TEST(CostMeter, FindsAQuadraticCopy) {
  EXPECT_FALSE(is_linear(scan([](const std::string& text) {
    std::string all;
    for (const std::string_view line : split(text, '\n')) all = all + std::string(line);
  })));
}

TEST(CostMeter, FindsCollidingKeys) {
  struct SameForAll {
    size_t operator()(std::string_view) const { return 7; }
  };
  EXPECT_FALSE(is_linear(scan([](const std::string& text) {
    std::unordered_set<std::string_view, SameForAll> seen;
    for (const std::string_view line : split(text, '\n')) seen.insert(line);
  })));
}

}  // namespace
}  // namespace statmill
