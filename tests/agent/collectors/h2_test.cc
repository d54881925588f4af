// The index of the histogram, with the same code that runs in the kernel.
#include "bpf/h2.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cstdint>

#include "agent/collectors/bpf_cells.h"
#include "counters/sent_histogram.h"
#include "statmill/h2.h"
#include "tests/counters/received_histogram.h"

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

TEST(H2, IndexesLikeTheHistogramsOfTheCountersLibrary) {
  EXPECT_EQ(h2::bucket_count(H2_GROUPING_POWER, H2_MAX_POWER), size_t{H2_BUCKETS});
  EXPECT_TRUE(rc::check([] {
    const uint64_t v = any_value();
    RC_ASSERT(h2_index(v) == h2::index_of(H2_GROUPING_POWER, v));
  }));
}

TEST(H2, SmallHistogramsIndexLikeThoseOfTheCountersLibrary) {
  EXPECT_EQ(h2::bucket_count(H2_SMALL_GROUPING_POWER, H2_SMALL_MAX_POWER), size_t{H2_SMALL_BUCKETS});
  EXPECT_EQ(h2_small_index((1ULL << H2_SMALL_MAX_POWER) - 1), H2_SMALL_BUCKETS - 1U);
  EXPECT_TRUE(rc::check([] {
    const uint64_t v = any_value() >> (H2_MAX_POWER - H2_SMALL_MAX_POWER);
    RC_ASSERT(h2_small_index(v) == h2::index_of(H2_SMALL_GROUPING_POWER, v));
  }));
}

TEST(H2, SmallHistogramsRecordTooLargeValuesInTheLastBucket) {
  h2_small_cells cells{};
  h2_small_record(&cells, 5);
  h2_small_record(&cells, UINT64_MAX);
  EXPECT_EQ(cells.counts[h2_small_index(5)], 1U);
  EXPECT_EQ(cells.counts[H2_SMALL_BUCKETS - 1], 1U);
  EXPECT_EQ(cells.sum, 5 + (1ULL << H2_SMALL_MAX_POWER) - 1) << "the sum is possible for the buckets";
  EXPECT_EQ(cells.finished, 2U);
}

TEST(H2, RecordsTooLargeValuesInTheLastBucket) {
  h2_cells cells{};
  h2_record(&cells, 5);
  h2_record(&cells, UINT64_MAX);
  EXPECT_EQ(cells.counts[5], 1U);
  EXPECT_EQ(cells.counts[H2_BUCKETS - 1], 1U);
  EXPECT_EQ(cells.sum, 5 + (1ULL << H2_MAX_POWER) - 1) << "the sum is possible for the buckets";
}

// A CPU that is interrupted within a record of 1000, after each of its stores.
TEST(H2, AnUnfinishedRecordIsReportedExactlyInTheEnd) {
  h2_cells before{};
  for (int i = 0; i < 20; ++i) h2_record(&before, 1100);
  h2_cells after = before;
  h2_record(&after, 1000);
  h2_cells counted = before;
  counted.counts[h2_index(1000)] += 1;
  h2_cells summed = counted;
  summed.sum += 1000;
  for (const h2_cells& met : {before, counted, summed, after}) {
    SentHistogram sent;
    ReceivedHistogram received;
    for (const h2_cells& cells : {met, after}) {
      H2Total total;
      total.add(cells);
      EXPECT_EQ(total.sum_missing_max == 0, cells.finished == total.count());
      Reading reading;
      reading.name = "h";
      reading.grouping_power = H2_GROUPING_POWER;
      reading.sum = total.sum;
      reading.sum_missing_max = total.sum_missing_max;
      for (uint32_t i = 0; i < H2_BUCKETS; ++i) {
        if (total.counts[i] != 0) reading.buckets.push_back({i, total.counts[i]});
      }
      for (const SentHistogram::Line& line : sent.lines(reading)) {
        EXPECT_TRUE(received.add(line.text)) << line.text;
        sent.sent(line);
      }
    }
    EXPECT_EQ(received.buckets().at(h2_index(1000)), 1U);
    EXPECT_TRUE(received.sum() == 20 * 1100 + 1000);
  }
}

TEST(H2, AnUnfinishedFirstRecordIsNotReportedYet) {
  h2_cells cells{};
  cells.counts[h2_index(1000)] = 1;
  H2Total total;
  total.add(cells);
  EXPECT_EQ(total.count(), 0U);
  EXPECT_EQ(total.sum_missing_max, 0U);
  h2_cells zeros{};
  h2_record(&zeros, 0);
  total.add(zeros);
  EXPECT_EQ(total.count(), 1U);
}

}  // namespace
}  // namespace statmill
