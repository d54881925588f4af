// The histogram's index: the same code that the kernel runs.
#include "bpf/h2.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cstdint>

namespace statmill {
namespace {

// Values of every magnitude: rapidcheck's own are small.
uint64_t any_value() {
  const int width = *rc::gen::inRange(0, 65);
  const uint64_t bits = *rc::gen::arbitrary<uint64_t>() | uint64_t{1} << 63;
  return width == 0 ? 0 : bits >> (64 - width);
}

TEST(H2, IndexesGoldenValues) {
  const struct {
    uint64_t value;
    uint32_t index;
  } golden[] = {{0, 0},   {7, 7},   {8, 8},     {15, 15},         {16, 16},
                {17, 16}, {18, 17}, {1000, 63}, {UINT64_MAX, 495}};
  for (const auto& g : golden) EXPECT_EQ(h2_index(g.value), g.index) << g.value;
}

TEST(H2, LogarithmIsTheHighestBit) {
  EXPECT_TRUE(rc::check([] {
    const uint64_t v = any_value() | 1;
    RC_ASSERT(h2_log2(v) == static_cast<uint32_t>(63 - std::countl_zero(v)));
  }));
}

TEST(H2, EveryValueLiesInItsBucket) {
  EXPECT_TRUE(rc::check([] {
    const uint64_t v = any_value();
    const uint32_t index = h2_index(v);
    RC_ASSERT(index < H2_BUCKETS);
    RC_ASSERT(v <= h2_bucket_last(index));
    if (index > 0) RC_ASSERT(v > h2_bucket_last(index - 1));
    RC_ASSERT(h2_bucket_last(index) - v <= v / 8);
  }));
}

}  // namespace
}  // namespace statmill
