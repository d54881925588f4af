#include "storage/retention.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "storage/live_retention.h"

namespace statmill {
namespace {

Retention with_rules(const std::vector<std::string>& rules) {
  Retention out(*Tiers::parse("10s:10d,5m:1y,1h:6y"));
  for (const std::string& rule : rules) {
    const Status added = out.add_rule(rule);
    EXPECT_TRUE(added) << added.error().message;
  }
  return out;
}

TEST(Retention, WithoutRulesAllSeriesHaveTheTiersRetention) {
  const Retention retention = with_rules({});
  EXPECT_EQ(retention.class_of("anything"), kDefaultRetention);
  EXPECT_EQ(retention.class_count(), 1U);
  EXPECT_EQ(retention.tiers().text(), "10s:10d,5m:1y,1h:6y");
  EXPECT_EQ(retention.longest().text(), retention.tiers().text());
  EXPECT_EQ(retention.shortest({}).text(), retention.tiers().text());
}

TEST(Retention, TheFirstMatchingRuleApplies) {
  const Retention retention =
      with_rules({"host.debug.* 10s:1d,5m:7d,1h:30d", "{a,b}?.*\t 1h:10y", "host.* 10s:2d"});
  EXPECT_EQ(retention.class_of("host.debug.x"), 1);
  EXPECT_EQ(retention.class_of("a1.x"), 2);
  EXPECT_EQ(retention.class_of("host.x"), 3);
  EXPECT_EQ(retention.class_of("x"), kDefaultRetention);
  ASSERT_EQ(retention.class_count(), 4U);
  EXPECT_EQ(retention.tiers(1).text(), "10s:1d,5m:1w,1h:30d");
  EXPECT_EQ(retention.tiers(2).text(), "10s:10d,5m:1y,1h:10y");
  EXPECT_EQ(retention.tiers(3).text(), "10s:2d,5m:1y,1h:6y");
}

TEST(Retention, FindsTheShortestRetentionOfSeveralClasses) {
  const Retention retention = with_rules({"a 10s:1d,5m:7d,1h:30d", "b 1h:10y", "c 10s:2d,5m:2d"});
  EXPECT_EQ(retention.longest().text(), "10s:10d,5m:1y,1h:10y");
  EXPECT_EQ(retention.shortest(0b0010).text(), "10s:1d,5m:1w,1h:30d");
  EXPECT_EQ(retention.shortest(0b0101).text(), "10s:10d,5m:1y,1h:6y");
  EXPECT_EQ(retention.shortest(0b1110).text(), "10s:1d,5m:2d,1h:30d");
}

TEST(Retention, RefusesAnInvalidRuleAndKeepsTheOthers) {
  Retention retention = with_rules({"kept 10s:1d"});
  for (const auto& [rule, said] : std::vector<std::pair<std::string, std::string>>{
           {"", "GLOB TIERS"},
           {"host.*", "rule \"host.*\": must be GLOB TIERS"},
           {"host.* ", "GLOB TIERS"},
           {" 10s:1d", "glob: empty"},
           {"[a 10s:1d", "[ without ]"},
           {"a 7s:1d", "rule \"a 7s:1d\": tier \"7s:1d\": no tier has this step; the tiers are"},
           {"a 10s:1d b", "10s:1d b"},
       }) {
    const Status added = retention.add_rule(rule);
    ASSERT_FALSE(added) << rule;
    EXPECT_EQ(added.error().code, ErrorCode::kInvalid);
    EXPECT_NE(added.error().message.find(said), std::string::npos) << added.error().message;
  }
  EXPECT_EQ(retention.class_count(), 2U);
  EXPECT_EQ(retention.class_of("kept"), 1);
}

TEST(Retention, HasALimitOfRules) {
  Retention retention = with_rules(std::vector<std::string>(Retention::kRulesMax, "a 10s:1d"));
  const Status one_more = retention.add_rule("b 10s:1d");
  ASSERT_FALSE(one_more);
  EXPECT_EQ(one_more.error().code, ErrorCode::kLimit);
  EXPECT_LE(retention.class_count(), size_t{kGone}) << "no rule has the class of deleted series";
}

TEST(Retention, KnowsTheLongestAndTheShortestTimeOfAllClasses) {
  constexpr int64_t kDay = 86'400;
  EXPECT_EQ(with_rules({}).longest_s(), 6 * 365 * kDay);
  EXPECT_EQ(with_rules({}).shortest_s(), 6 * 365 * kDay);
  const Retention retention = with_rules({"a 10s:1d,5m:7d,1h:30d", "b 1h:10y"});
  EXPECT_EQ(retention.longest_s(), 10 * 365 * kDay);
  EXPECT_EQ(retention.shortest_s(), 30 * kDay);
}

TEST(Retention, SaysWhatElseThanTimesDiffers) {
  const Retention before = with_rules({"a.* 10s:1d", "b\t1h:10y"});
  for (const std::vector<std::string>& rules :
       {std::vector<std::string>{"a.* 10s:1d", "b 1h:10y"}, {"a.* 1s:2h,10s:3d", "b 5m:2y"}})
    EXPECT_TRUE(before.differs_in_times_only(with_rules(rules)));
  EXPECT_TRUE(before.differs_in_times_only(before));
  EXPECT_EQ(before.glob(2), "b");
  const std::vector<std::pair<std::vector<std::string>, std::string>> others = {
      {{"a.* 10s:1d"}, "rule 2 is for \"b\" and not missing"},
      {{"a.* 10s:1d", "b 1h:10y", "c 1h:10y"}, "rule 3 is missing and not for \"c\""},
      {{"b 1h:10y", "a.* 10s:1d"}, "rule 1 is for \"a.*\" and not for \"b\""},
      {{"a.*b 10s:1d", "b 1h:10y"}, "rule 1 is for \"a.*\" and not for \"a.*b\""}};
  for (const auto& [rules, said] : others)
    EXPECT_EQ(before.differs_in_times_only(with_rules(rules)).error().message, said);
  const Status steps = with_rules({}).differs_in_times_only(Retention(*Tiers::parse("10s:10d,1m:1y")));
  ASSERT_FALSE(steps);
  EXPECT_EQ(steps.error().message, "the steps of the tiers are 10s,5m,1h and not 10s,1m");
}

TEST(LiveRetention, KeepsWhatReadersReferTo) {
  LiveRetention live(with_rules({"a 10s:1d"}));
  const Retention& before = live.get();
  const Tiers& tiers = before.tiers(1);
  for (const char* rule : {"a 10s:2d", "a 10s:3d", "a 10s:4d"}) {
    live.set(with_rules({rule}));
    EXPECT_EQ(live.get().rule(1), rule);
  }
  EXPECT_EQ(tiers.text(), "10s:1d,5m:1y,1h:6y");
  EXPECT_EQ(before.rule(1), "a 10s:1d");
}

}  // namespace
}  // namespace statmill
