// Readings become lines: gauges as they are, totals as what they grew by, resets counted.
#include "agent/batch_builder.h"

#include <gtest/gtest.h>

#include <limits>

namespace statmill {
namespace {

constexpr Timestamp kNow{Duration(1'700'000'000'999)};

// One batch with one total in it.
std::string batch_of(BatchBuilder& builder, std::string_view name, uint64_t total) {
  builder.begin(kNow);
  builder.total(name, total);
  return builder.finish().text;
}

TEST(BatchBuilder, WritesGaugesWithPrefixAndWholeSeconds) {
  BatchBuilder builder("host.a");
  builder.begin(kNow);
  builder.gauge("load.1m", 0.25);
  builder.gauge("memory.free", 25276502016.0);
  const LineBatch batch = builder.finish();
  EXPECT_EQ(batch.text, "host.a.load.1m 1700000000 0.25\nhost.a.memory.free 1700000000 25276502016\n");
  EXPECT_EQ(batch.lines, 2U);
}

TEST(BatchBuilder, LeavesOutWhatIsNotFinite) {
  BatchBuilder builder("h");
  builder.begin(kNow);
  builder.gauge("a", std::numeric_limits<double>::quiet_NaN());
  builder.gauge("b", std::numeric_limits<double>::infinity());
  const LineBatch batch = builder.finish();
  EXPECT_EQ(batch.text, "");
  EXPECT_EQ(batch.lines, 0U);
}

TEST(BatchBuilder, TakesWholeLinesAsTheyAre) {
  BatchBuilder builder("h");
  builder.begin(kNow);
  EXPECT_EQ(builder.time(), "1700000000");
  builder.gauge("a", 1);
  builder.lines("*shop.sales 1700000000 2\n%shop.sizes 1700000000 h5 3 3:1\n");
  const LineBatch batch = builder.finish();
  EXPECT_EQ(batch.text, "h.a 1700000000 1\n*shop.sales 1700000000 2\n%shop.sizes 1700000000 h5 3 3:1\n");
  EXPECT_EQ(batch.lines, 3U);
}

TEST(BatchBuilder, TurnsTotalsIntoGrowth) {
  BatchBuilder builder("h");
  EXPECT_EQ(batch_of(builder, "reads", 1'000'000), "");
  EXPECT_EQ(batch_of(builder, "reads", 1'000'007), "*h.reads 1700000000 7\n");
  EXPECT_EQ(batch_of(builder, "reads", 1'000'007), "*h.reads 1700000000 0\n");
  EXPECT_EQ(builder.resets(), 0U);
}

TEST(BatchBuilder, CountsTotalsThatWentBackwardsAndGoesOnFromThere) {
  BatchBuilder builder("h");
  batch_of(builder, "reads", 100);
  EXPECT_EQ(batch_of(builder, "reads", 3), "");
  EXPECT_EQ(builder.resets(), 1U);
  EXPECT_EQ(batch_of(builder, "reads", 5), "*h.reads 1700000000 2\n");
}

TEST(BatchBuilder, ForgetsTotalsThatABatchDidNotSee) {
  BatchBuilder builder("h");
  batch_of(builder, "disk.usb.reads", 100);
  batch_of(builder, "other", 1);
  EXPECT_EQ(batch_of(builder, "disk.usb.reads", 500), "")
      << "growth over a gap is not growth of one interval";
  EXPECT_EQ(builder.resets(), 0U);
}

TEST(BatchBuilder, KeepsLargeTotalsExact) {
  BatchBuilder builder("h");
  batch_of(builder, "bytes", (uint64_t{1} << 63) + 1);
  EXPECT_EQ(batch_of(builder, "bytes", (uint64_t{1} << 63) + 4), "*h.bytes 1700000000 3\n");
}

}  // namespace
}  // namespace statmill
