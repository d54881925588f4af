// Readings become lines: gauges unchanged, totals as their growth; resets are counted.
#include "agent/batch_builder.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <vector>

#include "statmill/h2.h"

namespace statmill {
namespace {

constexpr Timestamp kNow{Duration(1'700'000'000'999)};

const Family kAny;  // the builder only needs the name

// Returns a batch with one total.
std::string batch_of(BatchBuilder& builder, std::string_view name, uint64_t total) {
  builder.begin(kNow);
  builder.add_total({kAny, name}, total);
  return builder.finish().text;
}

TEST(BatchBuilder, WritesTheTimeAndTheTagsOnce) {
  BatchBuilder builder("dc=eu;host=a");
  builder.begin(kNow);
  builder.add_gauge({kAny, "load.1m"}, 0.25);
  builder.add_gauge({kAny, "memory.free"}, 25276502016.0);
  const LineBatch batch = builder.finish();
  EXPECT_EQ(batch.text, "load.1m 0.25\nmemory.free 25276502016\n");
  EXPECT_EQ(batch.lines, 2U);
  EXPECT_EQ(batch.tags, "dc=eu;host=a");
  EXPECT_EQ(batch.time, kNow);
}

TEST(BatchBuilder, OmitsValuesThatAreNotFinite) {
  BatchBuilder builder("host=h");
  builder.begin(kNow);
  builder.add_gauge({kAny, "a"}, std::numeric_limits<double>::quiet_NaN());
  builder.add_gauge({kAny, "b"}, std::numeric_limits<double>::infinity());
  const LineBatch batch = builder.finish();
  EXPECT_EQ(batch.text, "");
  EXPECT_EQ(batch.lines, 0U);
}

TEST(BatchBuilder, PassesWholeLinesUnchanged) {
  BatchBuilder builder("host=h");
  builder.begin(kNow);
  builder.add_gauge({kAny, "a"}, 1);
  builder.lines("*shop.sales 2\n%shop.sizes h5 3 3:1\n");
  const LineBatch batch = builder.finish();
  EXPECT_EQ(batch.text, "a 1\n*shop.sales 2\n%shop.sizes h5 3 3:1\n");
  EXPECT_EQ(batch.lines, 3U);
}

TEST(BatchBuilder, LinesOfFastCollectorsComeLast) {
  BatchBuilder builder("host=h", {"cpu"});
  builder.begin(kNow);
  builder.add_gauge({kAny, "a"}, 1);
  builder.begin_collector("cpu");
  builder.add_gauge({kAny, "b"}, 2);
  builder.lines("*c 3\n");
  builder.begin_collector("load");
  builder.add_gauge({kAny, "d"}, 4);
  builder.begin_collector({});
  builder.add_gauge({kAny, "e"}, 5);
  const LineBatch batch = builder.finish();
  EXPECT_EQ(batch.text, "a 1\nd 4\ne 5\nb 2\n*c 3\n");
  EXPECT_EQ(batch.text.substr(batch.fast_begin), "b 2\n*c 3\n");
  EXPECT_EQ(batch.lines, 5U);
  builder.begin(kNow);
  EXPECT_EQ(builder.finish().text, "") << "the next batch begins empty";
}

TEST(BatchBuilder, TurnsTotalsIntoGrowth) {
  BatchBuilder builder("host=h");
  EXPECT_EQ(batch_of(builder, "reads", 1'000'000), "");
  EXPECT_EQ(batch_of(builder, "reads", 1'000'007), "*reads 7\n");
  EXPECT_EQ(batch_of(builder, "reads", 1'000'007), "") << "zero growth is omitted";
  EXPECT_EQ(batch_of(builder, "writes", 5), "");
  EXPECT_EQ(batch_of(builder, "writes", 5), "*writes 0\n") << "zero growth is sent once";
  EXPECT_EQ(batch_of(builder, "writes", 5), "");
  EXPECT_EQ(builder.resets(), 0U);
}

// Returns a batch with one distribution of two buckets, for the values 3 and 100.
std::string distribution_batch(BatchBuilder& builder, uint64_t threes, uint64_t hundreds) {
  std::vector<uint64_t> counts(304);
  counts[3] = threes;
  counts[h2::index_of(3, 100)] = hundreds;
  builder.begin(kNow);
  builder.add_distribution({kAny, "wait_ns"},
                           {.grouping_power = 3, .counts = counts, .sum = 3 * threes + 100 * hundreds});
  return builder.finish().text;
}

TEST(BatchBuilder, TurnsDistributionsIntoTheirGrowth) {
  BatchBuilder builder("host=h");
  EXPECT_EQ(distribution_batch(builder, 10, 20), "") << "the first reading gives no growth";
  EXPECT_EQ(distribution_batch(builder, 12, 21), "%wait_ns h3 106 3:2 36:1\n");
  EXPECT_EQ(distribution_batch(builder, 12, 21), "") << "no growth";
  builder.begin(kNow);
  builder.finish();
  EXPECT_EQ(distribution_batch(builder, 50, 50), "") << "forgotten, so it counts as new";
}

TEST(BatchBuilder, SplitsLongDistributionsIntoLinesWhoseSumsAddUp) {
  BatchBuilder builder("host=h");
  std::vector<uint64_t> counts(304);
  for (const uint64_t round : {uint64_t{0}, uint64_t{1}}) {
    uint64_t sum = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
      counts[i] += round * 1000;
      sum += counts[i] * h2::lower_bound(3, i);
    }
    builder.begin(kNow);
    builder.add_distribution({kAny, "wait_ns"}, {.grouping_power = 3, .counts = counts, .sum = sum});
    const LineBatch batch = builder.finish();
    if (round == 0) continue;
    EXPECT_GT(batch.lines, 1U);
    uint64_t reported = 0;
    uint64_t values = 0;
    std::istringstream lines(batch.text);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 1250U);
      std::istringstream words(line);
      std::string word;
      uint64_t line_sum = 0;
      words >> word >> word >> line_sum;
      reported += line_sum;
      while (words >> word) values += std::stoull(word.substr(word.find(':') + 1));
    }
    EXPECT_EQ(reported, sum);
    EXPECT_EQ(values, 304'000U);
  }
}

TEST(BatchBuilder, RemembersTotalsThatAreReadLessOften) {
  BatchBuilder builder("host=h");
  batch_of(builder, "slow.reads", 5);
  builder.begin(kNow);
  builder.keep("slow.");
  EXPECT_EQ(builder.finish().text, "");
  EXPECT_EQ(batch_of(builder, "slow.reads", 12), "*slow.reads 7\n");
  builder.begin(kNow);
  builder.keep("slower.");
  builder.finish();
  EXPECT_EQ(batch_of(builder, "slow.reads", 20), "") << "another prefix keeps nothing";
}

TEST(BatchBuilder, CountsTotalsThatDecreasedAndContinuesFromThere) {
  BatchBuilder builder("host=h");
  batch_of(builder, "reads", 100);
  EXPECT_EQ(batch_of(builder, "reads", 3), "");
  EXPECT_EQ(builder.resets(), 1U);
  EXPECT_EQ(batch_of(builder, "reads", 5), "*reads 2\n");
}

TEST(BatchBuilder, ForgetsTotalsMissingFromABatch) {
  BatchBuilder builder("host=h");
  batch_of(builder, "disk.usb.reads", 100);
  batch_of(builder, "other", 1);
  EXPECT_EQ(batch_of(builder, "disk.usb.reads", 500), "")
      << "growth over a gap is not the growth of one interval";
  EXPECT_EQ(builder.resets(), 0U);
}

TEST(BatchBuilder, KeepsLargeTotalsExact) {
  BatchBuilder builder("host=h");
  batch_of(builder, "bytes", (uint64_t{1} << 63) + 1);
  EXPECT_EQ(batch_of(builder, "bytes", (uint64_t{1} << 63) + 4), "*bytes 3\n");
}

}  // namespace
}  // namespace statmill
