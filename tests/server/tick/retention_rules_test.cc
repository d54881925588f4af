// Series with retention rules of their own, through flush, rollup, expiry and queries.
#include "tests/server/tick/retention_fixture.h"
#include "tests/support/series_copy.h"

namespace statmill {
namespace {

class RetentionRules : public RetentionFixture {
 protected:
  RetentionRules() { restart({"short.* 10s:1h,5m:1d,1h:30d", "long.* 1h:20y"}); }
};

TEST_F(RetentionRules, ASeriesKeepsTheClassOfTheFirstRuleThatMatches) {
  send("short.a", kStart);
  send("long.a", kStart);
  send("other", kStart);
  const auto classes = [&] {
    return std::vector<int>{copy_of(*table_, "short.a")->retention, copy_of(*table_, "long.a")->retention,
                            copy_of(*table_, "other")->retention};
  };
  EXPECT_EQ(classes(), (std::vector<int>{1, 2, 0}));
  flush();
  restart({"other 10s:1d", "* 10s:2d"});
  EXPECT_EQ(classes(), (std::vector<int>{2, 2, 1})) << "each start applies its rules";
}

TEST_F(RetentionRules, QueriesReturnNothingPastTheClassEvenIfItIsStored) {
  send("short.a", kStart);
  send("other", kStart);
  pass(2 * kDay);
  EXPECT_EQ(ask("other", kStart, kStart + 600, 10).tier_s, 10);
  EXPECT_EQ(ask("short.a", kStart, kStart + 600, 10).tier_s, 3600) << "the finest that still covers it";
  EXPECT_EQ(count("short.a", kStart, kStart + 600, 10), 1U);
  pass(60 * kDay);
  EXPECT_TRUE(is_stored(1, kStart, 0) && is_stored(2, kStart, 0));
  EXPECT_EQ(count("short.a", kStart, now_, 3600), 0U);
  EXPECT_EQ(count("other", kStart, now_, 3600), 1U);
}

TEST_F(RetentionRules, AQueryOverSeveralClassesIsCompleteForEach) {
  for (const char* name : {"short.a", "other", "long.a"}) send(name, kStart);
  pass(2 * kDay);
  QueryAnswer answer = ask("{short,other,long}*", kStart, kStart + 600, 10);
  EXPECT_EQ(answer.tier_s, 3600);
  ASSERT_EQ(answer.series.size(), 3U);
  for (const SeriesAnswer& series : answer.series) EXPECT_EQ(count(series), 1U) << series.name;
  answer = ask("{other,long.*}", kStart, kStart + 600, 10);
  EXPECT_EQ(answer.tier_s, 10) << "the finest tier covers both classes";
  for (const SeriesAnswer& series : answer.series) EXPECT_EQ(count(series), 1U) << series.name;
}

TEST_F(RetentionRules, RefusesSamplesOlderThanAllTiersOfTheClass) {
  now_ = kStart + 20 * 365 * kDay;
  EXPECT_EQ(send("short.a", now_ - 30 * kDay), 1U);
  EXPECT_EQ(send("short.a", now_ - 30 * kDay - 20), 0U);
  EXPECT_EQ(send("short.new", now_ - 31 * kDay), 0U);
  EXPECT_FALSE(copy_of(*table_, "short.new")) << "no series without a sample";
  EXPECT_EQ(send("other", now_ - 7 * 365 * kDay), 0U);
  EXPECT_EQ(send("long.a", now_ - 7 * 365 * kDay), 1U);
  EXPECT_EQ(send("long.a", now_ - 21 * 365 * kDay), 0U);
  flush();
  EXPECT_EQ(count("long.a", now_ - 8 * 365 * kDay, now_, 86400), 1U);
}

TEST_F(RetentionRules, LateSamplesGoOnlyToTheTiersThatKeepThem) {
  pass(3 * kDay);
  const int64_t late = now_ - 2 * kDay;
  send("short.a", late);
  send("other", late);
  flush();
  for (SeriesId id = 1; id < 3; ++id) {
    EXPECT_EQ(is_stored(0, late, id), id == 2);
    EXPECT_TRUE(is_stored(2, late, id));
  }
  EXPECT_EQ(count("short.a", late, late + 10, 10), 1U);
}

TEST_F(RetentionRules, ALateEventCountsTheSameInMemoryAndInTheStore) {
  send("*short.e", kStart);
  pass(kDay);
  send("*short.e", kStart + 5);  // into a slot whose total the finest tier no longer has
  const auto bucket = [&] {
    return bucket_of(ask("short.e", kStart, kStart + kHour, kHour).series.at(0), 0);
  };
  const Bucket from_memory = bucket();
  EXPECT_EQ(stat_number(Stat::kSum, from_memory, Kind::kEvent, kHour, 10)->value(), 10);
  EXPECT_EQ(from_memory.max(), 0.5) << "two slots of five";
  flush();
  EXPECT_EQ(bucket(), from_memory);
}

TEST_F(RetentionRules, ExpiredSlotsOfAnEventSeriesAreEmptyAndNotZero) {
  send("*short.e", kStart);
  pass(100 * kDay);
  const QueryAnswer answer = ask("short.e", now_ - 90 * kDay, now_, kDay);
  ASSERT_EQ(answer.series.size(), 1U);
  EXPECT_TRUE(buckets_of(answer.series[0]).front().is_empty());
  EXPECT_FALSE(buckets_of(answer.series[0]).back().is_empty());
}

TEST_F(RetentionRules, NothingExpiresBeforeItIsRolledUp) {
  restart({"brief.* 10s:10m"});
  send("brief.a", kStart);
  send("other", kStart);
  pass(6 * kHour + 15 * 60);  // the chunk is past its retention; its rollup is due in five minutes
  reclaim();
  EXPECT_TRUE(is_stored(0, kStart, 0));
  EXPECT_EQ(count("brief.a", kStart, kStart + 600, 300), 1U);
  pass(10 * 60);
  reclaim();
  EXPECT_FALSE(is_stored(0, kStart, 0));
  EXPECT_TRUE(is_stored(0, kStart, 1));
  EXPECT_EQ(count("brief.a", kStart, kStart + 600, 300), 1U);
}

TEST_F(RetentionRules, EachTierOfEachClassExpiresInItsOwnTime) {
  for (const char* name : {"short.a", "other", "long.a"}) send(name, kStart);
  const auto stored = [&] {
    std::string out;
    for (SeriesId id = 0; id < 3; ++id) {
      for (TierNo t = 0; t < 3; ++t) out += is_stored(t, kStart, id) ? '1' : '0';
      out += ' ';
    }
    return out;
  };
  pass(kDay);
  reclaim();
  EXPECT_EQ(stored(), "011 111 111 ");
  pass(5 * kDay);
  reclaim();
  EXPECT_EQ(stored(), "001 111 111 ");
  pass(60 * kDay);
  reclaim();
  EXPECT_EQ(stored(), "000 011 011 ");
  pass(7 * 365 * kDay);
  reclaim();
  EXPECT_EQ(stored(), "000 000 001 ");
  EXPECT_EQ(count("long.a", kStart, kStart + kDay, kHour), 1U);
}

TEST_F(RetentionRules, NewRulesApplyToOldData) {
  send("other", kStart);
  send("more", kStart);
  pass(40 * kDay);
  EXPECT_EQ(count("other", kStart, kStart + kDay, 3600), 1U);
  restart({"other 10s:1h,5m:1h,1h:2h"});
  EXPECT_EQ(count("other", kStart, kStart + kDay, 3600), 0U);
  EXPECT_EQ(count("more", kStart, kStart + kDay, 3600), 1U);
  reclaim();
  EXPECT_FALSE(is_stored(1, kStart, 0) || is_stored(2, kStart, 0));
  EXPECT_TRUE(is_stored(1, kStart, 1) && is_stored(2, kStart, 1));
}

}  // namespace
}  // namespace statmill
