// Rows of counters: what they have of a bucket, how they merge, and their means over weeks.
#include "server/istatd/counter_row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <optional>
#include <vector>

#include "proto/number.h"

namespace statmill::istatd {
namespace {

Bucket bucket_of(std::initializer_list<const char*> values) {
  Bucket bucket;
  for (const char* text : values) {
    Number number;
    EXPECT_TRUE(parse_number(text, number).is_accepted()) << text;
    bucket.add(number);
  }
  return bucket;
}

TEST(CounterRow, HasAllDigitsAndTheDeviationOfTheSamples) {
  const CounterRow row = row_of(60, bucket_of({"1234567890.5", "1234567891.5"}));
  EXPECT_EQ(row.time_s, 60);
  EXPECT_EQ(row.count, 2);
  EXPECT_EQ(row.min, 1234567890.5);
  EXPECT_EQ(row.max, 1234567891.5);
  EXPECT_EQ(row.sum, 2469135782);
  EXPECT_EQ(row.avg, 1234567891);
  EXPECT_NEAR(row.sdev, std::sqrt(0.5), 1e-15);  // istatd's is 464.9 or so
  EXPECT_NEAR(row.sumsq / 3048315754976375762.5, 1, 1e-15);
}

TEST(CounterRow, OneSampleHasNoDeviation) { EXPECT_EQ(row_of(0, bucket_of({"-0.25"})).sdev, 0); }

TEST(CounterRow, MergedOnesAreThoseOfAllSamples) {
  const std::vector<CounterRow> rows = {row_of(300, bucket_of({"1", "2"})), row_of(600, bucket_of({"6"})),
                                        row_of(900, bucket_of({"4"}))};
  const auto merged = merged_rows(rows, 600, std::nullopt);
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(merged[0].time_s, 0);
  EXPECT_EQ(merged[1].time_s, 600);
  EXPECT_EQ(merged[1].count, 2);
  EXPECT_EQ(merged[1].avg, 5);
  EXPECT_NEAR(merged[1].sdev, std::sqrt(2), 1e-12);
  const auto rates = merged_rows(rows, 600, 4);
  EXPECT_EQ(rates[1].count, 4);
  EXPECT_EQ(rates[1].avg, 2.5);
  EXPECT_EQ(rates[1].min, 0);
  EXPECT_EQ(rates[1].max, 6);
}

// The numbers of istatd's own test of its trailing tier.
TEST(CounterRow, AWeekCountsATenthOfTheTrailingMean) {
  const auto mean = [](std::initializer_list<const char*> values) {
    std::vector<CounterRow> weeks;
    int64_t time_s = 0;
    for (const char* value : values) weeks.push_back(row_of(time_s += 604'800, bucket_of({value})));
    return trailing_mean(weeks);
  };
  EXPECT_NEAR(mean({"2"}).avg, 2, 1e-12);
  EXPECT_NEAR(mean({"2", "5"}).avg, 2.3, 1e-12);
  EXPECT_NEAR(mean({"2", "5", "11"}).avg, 3.17, 1e-12);
  EXPECT_EQ(mean({"2", "5", "11"}).count, 1);
  EXPECT_EQ(mean({"2", "5", "11"}).time_s, 3 * 604'800);
}

}  // namespace
}  // namespace statmill::istatd
