#include "server/admin/retention_outlook.h"

#include <atomic>
#include <limits>

#include "base/long_job.h"
#include "tests/server/admin/retention_world.h"

namespace statmill {
namespace {

class RetentionOutlookTest : public RetentionWorld {};

// At each look a second has passed.
class HastyClock final : public Clock {
 public:
  Timestamp wall() const override { return {}; }
  SteadyTime steady() const override { return SteadyTime(std::chrono::seconds(++looks_)); }

 private:
  mutable int64_t looks_ = 0;
};

TEST_F(RetentionOutlookTest, SaysWhatIsKeptNow) {
  live({"debug.a", "other"}, 1);
  live({"other"}, 1);
  const auto outlook = retention_outlook(sources(), at_start());
  ASSERT_TRUE(outlook) << outlook.error().message;
  ASSERT_EQ(outlook->size(), 2U);
  const ClassOutlook& other = outlook->at(0);
  const ClassOutlook& debug = outlook->at(1);
  EXPECT_EQ(other.rule, "");
  EXPECT_EQ(debug.rule, "debug.* 10s:2d,5m:20d");
  EXPECT_EQ(debug.series, 1U);
  ASSERT_EQ(debug.tiers.size(), 2U) << "no detail tier, which keeps nothing";
  EXPECT_EQ(debug.tiers[0].step_s, 10);
  EXPECT_EQ(debug.tiers[0].kept_s, 2 * kDay);
  EXPECT_EQ(debug.tiers[0].then_s, 2 * kDay);
  EXPECT_EQ(debug.tiers[0].oldest_s, kStart);
  EXPECT_NEAR(static_cast<double>(other.tiers[0].bytes), 2 * static_cast<double>(debug.tiers[0].bytes),
              0.1 * static_cast<double>(other.tiers[0].bytes));
  EXPECT_GT(debug.tiers[1].bytes, 0U);
  EXPECT_EQ(debug.affected_series, 0U);
}

TEST_F(RetentionOutlookTest, SaysWhatAShorterOneDropsOfEachTier) {
  live({"debug.a", "debug.b", "other"}, 1);
  live({"debug.b", "other"}, 8);
  EXPECT_EQ(dropped(at_start(), 0) + dropped(at_start(), 1), "");
  const Retention next = retention_of("10s:10d,5m:1y", {"debug.* 10s:1d,5m:4d"});
  EXPECT_EQ(dropped(next, 0), "") << "the other class is as it was";
  EXPECT_EQ(dropped(next, 1), "10 1\n300 2\n") << "debug.a has no samples of 10 s that are young enough";
  const auto outlook = retention_outlook(sources(), next);
  EXPECT_EQ(outlook->at(1).affected_series, 2U);
  EXPECT_EQ(outlook->at(1).then_rule, "debug.* 10s:1d,5m:4d");
  EXPECT_EQ(dropped(retention_of("10s:20d,5m:2y", {"debug.* 10s:20d"}), 1), "") << "it is longer";
}

// The bytes that it says are those that the store no longer has.
TEST_F(RetentionOutlookTest, WhatItSaysIsWhatGoes) {
  live({"debug.a", "other"}, 9);
  const Retention next = retention_of("10s:3d,5m:1y", {"debug.* 10s:1d,5m:1y"});
  const auto said = retention_outlook(sources(), next);
  ASSERT_TRUE(said);
  ASSERT_TRUE(ticker_->set_retention(next, time()));
  now_ += 60;
  ASSERT_TRUE(ticker_->tick(time()));
  std::atomic<bool> canceled{false};
  LongJob job;
  ASSERT_TRUE(store_->flush());
  ASSERT_TRUE(store_->compact(canceled, job));
  const auto left = store_->class_bytes({{0, 0, std::numeric_limits<ChunkNo>::max()}, 10'000});
  ASSERT_TRUE(left);
  for (size_t c = 0; c < 2; ++c) {
    const TierOutlook& before = said->at(c).tiers[0];
    EXPECT_GT(before.dropped_bytes, 0U);
    EXPECT_NEAR(static_cast<double>(left->bytes[c]), static_cast<double>(before.bytes - before.dropped_bytes),
                64)
        << c;
  }
}

// Between two and nine days nothing is left, although the retention covers it.
TEST_F(RetentionOutlookTest, WhatWasDroppedIsNotTheOldest) {
  live({"debug.a", "other"}, 9);
  ASSERT_TRUE(ticker_->set_retention(retention_of("10s:10d,5m:1y", {"debug.* 10s:10d,5m:20d"}), time()));
  const Retention next = retention_of("10s:10d,5m:1y", {"debug.* 10s:3d,5m:20d"});
  const auto outlook = retention_outlook(sources(), next);
  ASSERT_TRUE(outlook);
  EXPECT_GT(outlook->at(1).tiers[0].oldest_s, now_ - 3 * kDay);
  EXPECT_EQ(outlook->at(1).tiers[0].affected_series, 0U);
  EXPECT_EQ(outlook->at(0).tiers[0].oldest_s, kStart);
}

TEST_F(RetentionOutlookTest, TheDetailTierIsThereIfEitherKeepsIt) {
  live({"debug.a"}, 1);
  const Retention next = retention_of("10s:10d,5m:1y", {"debug.* 1s:2h,10s:2d,5m:20d"});
  const auto outlook = retention_outlook(sources(), next);
  ASSERT_TRUE(outlook);
  ASSERT_EQ(outlook->at(1).tiers.size(), 3U);
  EXPECT_EQ(outlook->at(1).tiers[0].step_s, 1);
  EXPECT_EQ(outlook->at(1).tiers[0].kept_s, 0);
  EXPECT_EQ(outlook->at(1).tiers[0].then_s, 2 * kHour);
  EXPECT_EQ(outlook->at(1).tiers[0].oldest_s, std::nullopt);
  EXPECT_EQ(outlook->at(0).tiers.size(), 2U);
}

TEST_F(RetentionOutlookTest, SaysIfReadingTookTooLong) {
  live({"debug.a", "other"}, 1);
  const HastyClock clock;
  const OutlookSources in_time = sources();
  const auto outlook = retention_outlook({table_, *store_, in_time.on_tick_thread, clock}, at_start());
  ASSERT_TRUE(outlook);
  EXPECT_TRUE(outlook->at(0).tiers.back().are_least);
  EXPECT_EQ(outlook->at(0).series, 1U) << "which needs no store";
  EXPECT_FALSE(retention_outlook(in_time, at_start())->at(0).tiers.back().are_least);
}

TEST_F(RetentionOutlookTest, OnlyTimesMayDiffer) {
  const auto outlook = retention_outlook(sources(), retention_of("10s:10d,5m:1y", {}));
  ASSERT_FALSE(outlook);
  EXPECT_EQ(outlook.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(outlook.error().message, "rule 1 is for \"debug.*\" and not missing");
}

}  // namespace
}  // namespace statmill
