#include "storage/tiers.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(Tiers, ParsesTextAndPrintsItInCanonicalForm) {
  struct Case {
    std::string text;
    std::string canonical;
  };
  for (const Case& c : {
           Case{"10s:10d,5m:1y,1h:6y", "10s:10d,5m:1y,1h:6y"},
           Case{"60s:24h", "1m:1d"},
           Case{"1s:2s", "1s:2s"},
           Case{"10s:1d,10m:1d", "10s:1d,10m:1d"},
           Case{"1s:1d,2s:1d,4s:1d,8s:1d,16s:1d,32s:1d,64s:1d,128s:1d",
                "1s:1d,2s:1d,4s:1d,8s:1d,16s:1d,32s:1d,64s:1d,128s:1d"},
           Case{"1d:100y", "1d:100y"},
       }) {
    const Result<Tiers> tiers = Tiers::parse(c.text);
    ASSERT_TRUE(tiers) << c.text << ": " << tiers.error().message;
    EXPECT_EQ(tiers->text(), c.canonical);
    const Result<Tiers> again = Tiers::parse(tiers->text());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->text(), c.canonical);
  }
}

TEST(Tiers, RefusesInvalidTextAndNamesThePart) {
  struct Case {
    std::string text;
    std::string said;
  };
  for (const Case& c : {
           Case{"", "no tiers"},
           Case{"10s", "STEP:RETENTION"},
           Case{"10s:10d,", "STEP:RETENTION"},
           Case{":10d", ":10d"},
           Case{"10s:", "10s:"},
           Case{"ten:10d", "ten:10d"},
           Case{"10s:10d:1", "10s:10d:1"},
           Case{"500ms:1d", "a whole number of seconds"},
           Case{"0s:1d", "1s to 1d"},
           Case{"2d:1y", "1s to 1d"},
           Case{"10s:19s", "shorter than two steps"},
           Case{"10s:101y", "over 100y"},
           Case{"10s:10d,15s:1y", "15s:1y"},
           Case{"10s:10d,10s:1y", "multiple of the previous one, 10s"},
           Case{"5m:1y,10s:10d", "multiple of the previous one, 5m"},
           Case{"10s:10d,5m:1d", "shorter than the finer tier's, 10d"},
           Case{"1s:1d,2s:1d,4s:1d,8s:1d,16s:1d,32s:1d,64s:1d,128s:1d,256s:1d", "at most 8 tiers"},
       }) {
    const Result<Tiers> tiers = Tiers::parse(c.text);
    ASSERT_FALSE(tiers) << c.text;
    EXPECT_EQ(tiers.error().code, ErrorCode::kInvalid) << c.text;
    EXPECT_NE(tiers.error().message.find(c.said), std::string::npos) << tiers.error().message;
  }
}

TEST(Tiers, ChangesTheRetentionOfTheNamedSteps) {
  const Tiers tiers = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  EXPECT_EQ(tiers.with_retention("10s:1d")->text(), "10s:1d,5m:1y,1h:6y");
  EXPECT_EQ(tiers.with_retention("60m:1y,5m:7d,10s:7d")->text(), "10s:1w,5m:1w,1h:1y");
  EXPECT_EQ((*tiers.with_retention("10s:1d"))[0].chunk_slots, tiers[0].chunk_slots);
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {"1m:1d", "\"1m:1d\": no tier has this step; the tiers are 10s:10d,5m:1y,1h:6y"},
           {"10s:1d,10s:2d", "given twice"},
           {"5m:9d", "\"5m:9d\": the retention is shorter than the finer tier's, 10d"},
           {"10s:2y", "\"5m:1y\": the retention is shorter than the finer tier's, 2y"},
           {"10s:10s", "shorter than two steps"},
           {"10s", "STEP:RETENTION"},
       }) {
    const Result<Tiers> changed = tiers.with_retention(text);
    ASSERT_FALSE(changed) << text;
    EXPECT_NE(changed.error().message.find(said), std::string::npos) << changed.error().message;
  }
}

TEST(Tiers, FindsTheLongerAndTheShorterRetentionOfEachTier) {
  const Tiers a = *Tiers::parse("10s:1d,5m:3y");
  const Tiers b = *Tiers::parse("10s:2d,5m:2y");
  EXPECT_EQ(a.longer(b).text(), "10s:2d,5m:3y");
  EXPECT_EQ(a.shorter(b).text(), "10s:1d,5m:2y");
}

TEST(Tiers, TheDetailTierKeepsSecondsIfARetentionNamesThem) {
  const Tiers all = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  ASSERT_TRUE(all.has_detail());
  EXPECT_FALSE(all.keep_detail());
  EXPECT_EQ(all.stored_count(), 4U);
  EXPECT_EQ(all[all.detail_no()].step_s, 1);
  EXPECT_EQ(all.detail_ratio(), 10);
  const Tiers detailed = *all.with_retention("1s:6h,10s:1d");
  EXPECT_TRUE(detailed.keep_detail());
  EXPECT_EQ(detailed.text(), "1s:6h,10s:1d,5m:1y,1h:6y");
  EXPECT_EQ(detailed.count(), 3U) << "nothing is rolled up from it";
  EXPECT_EQ(detailed.without_detail().text(), "10s:1d,5m:1y,1h:6y");
  EXPECT_EQ(all.longer(detailed).text(), "1s:6h,10s:10d,5m:1y,1h:6y");
  EXPECT_EQ(all.shorter(detailed).text(), "10s:1d,5m:1y,1h:6y");
  EXPECT_FALSE(all.with_retention("1s:11d")) << "longer than the finest tier";
  EXPECT_FALSE(all.with_retention("1s:1h,1s:2h"));
  EXPECT_FALSE(all.with_retention("2s:1h"));
}

TEST(Tiers, TiersOfSecondsHaveNoDetailTier) {
  const Tiers seconds = *Tiers::parse("1s:1h,1m:1d");
  EXPECT_FALSE(seconds.has_detail());
  EXPECT_EQ(seconds.stored_count(), 2U);
  EXPECT_EQ(seconds.detail_ratio(), 1);
  EXPECT_EQ(seconds.with_retention("1s:2h")->text(), "1s:2h,1m:1d");
}

TEST(Tiers, DefaultTiersHaveChunksOfSixHoursFourDaysAndThirtyDays) {
  const Tiers tiers = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  EXPECT_EQ(tiers[0].chunk_span_s(), 6 * 3600);
  EXPECT_EQ(tiers[1].chunk_span_s(), 4 * 86'400);
  EXPECT_EQ(tiers[2].chunk_span_s(), 30 * 86'400);
}

TEST(Tiers, NoSlotStraddlesTwoChunksOfTheFinestTier) {
  for (const char* text :
       {"1s:1d,1d:1y", "7s:1d,49s:1d", "10s:1d,7h:1y", "11s:1d,22s:1d,1342s:1d", "1m:1d"}) {
    const Result<Tiers> tiers = Tiers::parse(text);
    ASSERT_TRUE(tiers) << tiers.error().message;
    EXPECT_GE(tiers->finest().chunk_slots, 2160) << text;
    for (const Tier& tier : *tiers) EXPECT_EQ(tiers->finest().chunk_span_s() % tier.step_s, 0) << text;
  }
}

TEST(Tiers, TimesFallIntoHalfOpenSlotsAndChunks) {
  const Tier tier{10, 86'400, 2160};
  EXPECT_EQ(tier.slot_of(0), 0);
  EXPECT_EQ(tier.slot_of(9), 0);
  EXPECT_EQ(tier.slot_of(10), 1);
  EXPECT_EQ(tier.chunk_of_slot(2159), 0U);
  EXPECT_EQ(tier.chunk_of_slot(2160), 1U);
  EXPECT_EQ(tier.chunk_of_time(21'599), 0U);
  EXPECT_EQ(tier.chunk_of_time(21'600), 1U);
}

}  // namespace
}  // namespace statmill
