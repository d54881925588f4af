// A trigger is read as NAME OP NUMBER, and what it could never match is refused.
#include "agent/recording/trigger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace statmill {
namespace {

using testing::HasSubstr;

TEST(Trigger, ComparesInEachWay) {
  const struct {
    const char* op;
    bool below, equal, above;
  } kRows[] = {{"<", true, false, false}, {"<=", true, true, false},  {">", false, false, true},
               {">=", false, true, true}, {"==", false, true, false}, {"!=", true, false, true}};
  for (const auto& row : kRows) {
    const auto trigger = Trigger::parse(std::string("host.load.average_1m ") + row.op + " -0.5");
    ASSERT_TRUE(trigger) << row.op;
    EXPECT_EQ(trigger->holds(-0.75), row.below) << row.op;
    EXPECT_EQ(trigger->holds(-0.5), row.equal) << row.op;
    EXPECT_EQ(trigger->holds(0), row.above) << row.op;
  }
}

TEST(Trigger, MatchesTheNameWithoutTheTagsOfTheHost) {
  const auto one = Trigger::parse("host.cpu.time_ns;cpu=0;mode=user  >  1e9");
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->matches("host.cpu.time_ns;cpu=0;mode=user"));
  EXPECT_FALSE(one->matches("host.cpu.time_ns;cpu=1;mode=user"));
  const auto glob = Trigger::parse("host.cpu.time_ns;*mode=user > 1");
  ASSERT_TRUE(glob);
  EXPECT_TRUE(glob->matches("host.cpu.time_ns;cpu=1;mode=user"));
  EXPECT_FALSE(glob->matches("host.cpu.time_ns;cpu=1;mode=system"));
}

TEST(Trigger, RefusesWhatItCannotCompare) {
  const struct {
    const char* text;
    const char* why;
  } kRows[] = {{"", "is not of the form NAME OP NUMBER"},
               {"host.load.average_1m>8", "is not of the form NAME OP NUMBER"},
               {"host.load.average_1m > 8 9", "is not of the form NAME OP NUMBER"},
               {"host.load.average_1m = 8", "is not one of < <= > >= == !="},
               {"host.load.average_1m > x", "is not a number"},
               {"host.load.average_1m > 8x", "is not a number"},
               {"host.load.average_1m > nan", "is not a number"},
               {"host.load.1 > 8", "is no series of this host"},
               {"host.nothing.* > 8", "is no series of this host"},
               {"host.load.[ > 8", "is not a name"},
               {"host.load.average_1m;cpu=0 > 8", "which has in this order: none"},
               {"host.cpu.time_ns;cpu=0;state=user > 8", "which has in this order: cpu, mode"},
               {"host.cpu.time_ns;mode=user;cpu=0 > 8", "which has in this order: cpu, mode"},
               {"host.cpu.time_ns;cpu=0;cpu=0 > 8", "which has in this order: cpu, mode"},
               {"host.cpu.time_ns;cpu > 8", "which has in this order: cpu, mode"},
               {"host.cpu.time_ns;cpu= > 8", "which has in this order: cpu, mode"},
               {"host.cpu.time_ns; > 8", "which has in this order: cpu, mode"},
               {"host.cpu.time_ns;cpu=0;mode=user;host=web1 > 8", "which has in this order: cpu, mode"},
               {"host.sched.runqueue_wait_ns > 8", "has no single value"}};
  for (const auto& row : kRows) {
    const auto trigger = Trigger::parse(row.text);
    ASSERT_FALSE(trigger) << row.text;
    EXPECT_EQ(trigger.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(trigger.error().message, HasSubstr(row.why)) << row.text;
  }
}

TEST(Trigger, ASeriesMayLackTags) {
  for (const char* text :
       {"host.cpu.time_ns;mode=user > 8", "host.cpu.time_ns;cpu=0 > 8", "host.cpu.time_ns > 8"})
    EXPECT_TRUE(Trigger::parse(text)) << text;
}

TEST(Trigger, NeedsACollectorThatReadsItsSeries) {
  const struct {
    const char* text;
    std::vector<std::string> collectors;
    const char* missing;  // empty: none
  } kRows[] = {{"host.load.tasks > 1", {"cpu", "load"}, ""},
               {"host.load.tasks > 1", {"cpu"}, "needs the collector load"},
               {"host.load.* > 1", {}, "needs the collector load"},
               {"host.{cpu,load}.* > 1", {"load"}, ""},
               {"host.agent.rss_bytes > 1", {}, ""}};
  for (const auto& row : kRows) {
    const Status fits = Trigger::parse(row.text)->check_collectors(row.collectors);
    EXPECT_EQ(fits.has_value(), row.missing[0] == '\0') << row.text;
    EXPECT_THAT(fits ? "" : fits.error().message, HasSubstr(row.missing)) << row.text;
  }
}

}  // namespace
}  // namespace statmill
