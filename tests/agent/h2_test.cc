// The histogram's index: the same code that the kernel runs.
#include "bpf/h2.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cstdint>

#include "statmill/h2.h"

namespace statmill {
namespace {

// Values of every magnitude: rapidcheck's own are small.
uint64_t any_value() {
  const int width = *rc::gen::inRange(0, H2_MAX_POWER + 1);
  const uint64_t bits = *rc::gen::arbitrary<uint64_t>() | uint64_t{1} << 63;
  return width == 0 ? 0 : bits >> (64 - width);
}

TEST(H2, IndexesGoldenValues) {
  const struct {
    uint64_t value;
    uint32_t index;
  } golden[] = {{0, 0},   {7, 7},     {8, 8},
                {15, 15}, {16, 16},   {17, 16},
                {18, 17}, {1000, 63}, {(1ULL << H2_MAX_POWER) - 1, H2_BUCKETS - 1}};
  for (const auto& g : golden) EXPECT_EQ(h2_index(g.value), g.index) << g.value;
}

TEST(H2, LogarithmIsTheHighestBit) {
  EXPECT_TRUE(rc::check([] {
    const uint64_t v = any_value() | 1;
    RC_ASSERT(h2_log2(v) == static_cast<uint32_t>(63 - std::countl_zero(v)));
  }));
}

TEST(H2, IndexesAsTheHistogramsOfProgramsDo) {
  EXPECT_EQ(h2::bucket_count(H2_GROUPING_POWER, H2_MAX_POWER), size_t{H2_BUCKETS});
  EXPECT_TRUE(rc::check([] {
    const uint64_t v = any_value();
    RC_ASSERT(h2_index(v) == h2::index_of(H2_GROUPING_POWER, v));
  }));
}

TEST(H2, RecordsWhatIsTooGreatInTheLastBucket) {
  h2_cells cells{};
  h2_record(&cells, 5);
  h2_record(&cells, UINT64_MAX);
  EXPECT_EQ(cells.counts[5], 1U);
  EXPECT_EQ(cells.counts[H2_BUCKETS - 1], 1U);
  EXPECT_EQ(cells.sum, 5 + (1ULL << H2_MAX_POWER) - 1) << "the sum is one that the buckets can have";
}

}  // namespace
}  // namespace statmill
