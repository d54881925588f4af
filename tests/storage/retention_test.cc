#include "storage/retention.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace statmill
