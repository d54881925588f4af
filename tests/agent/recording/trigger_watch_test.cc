// A trigger fires when it becomes true, and again only after it was false and its pause has passed.
#include "agent/recording/trigger_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agent/collectors/recording_sink.h"

namespace statmill {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kLoad = "host.load.average_1m > 8";
constexpr const char* kReads = "host.block.bytes;device=*;op=read > 100";

class TriggerWatchTest : public testing::Test {
 protected:
  static std::vector<Trigger> triggers() {
    return {Trigger::parse(kLoad).value(), Trigger::parse(kReads).value()};
  }
  void begin(int64_t second) { watch_.begin(SteadyTime(seconds(second))); }
  std::vector<std::string> load(int64_t second, double value) {
    begin(second);
    watch_.gauge("host.load.average_1m", value);
    return watch_.fired();
  }
  std::vector<std::string> reads(int64_t second, uint64_t vda, uint64_t vdb) {
    begin(second);
    watch_.total("host.block.bytes", {"vda", "read"}, vda);
    watch_.total("host.block.bytes", {"vdb", "read"}, vdb);
    watch_.total("host.block.bytes", {"vda", "write"}, 1000 * vda);
    return watch_.fired();
  }

  RecordingSink sink_;
  TriggerWatch watch_{sink_, triggers(), seconds(60)};
};

TEST_F(TriggerWatchTest, FiresWhenItBecomesTrue) {
  EXPECT_THAT(load(0, 8), IsEmpty());
  EXPECT_THAT(load(1, 8.5), ElementsAre(kLoad));
  EXPECT_THAT(load(2, 9), IsEmpty()) << "it still is";
}

TEST_F(TriggerWatchTest, WhatIsTrueFromTheStartHasNotBecomeTrue) {
  EXPECT_THAT(load(0, 9), IsEmpty());
  EXPECT_THAT(load(100, 9), IsEmpty());
  load(101, 8);
  EXPECT_THAT(load(102, 9), ElementsAre(kLoad));
}

// As the series of a unit that fails.
TEST_F(TriggerWatchTest, ASeriesThatAppearsLaterWasFalseBefore) {
  for (int second = 0; second <= 61; ++second) reads(second, 0, 0);
  EXPECT_THAT(load(62, 9), ElementsAre(kLoad));
}

TEST_F(TriggerWatchTest, ATriggerWithoutSeriesIsReportedOnceAfterAMinute) {
  std::vector<std::string> unread;
  for (int second = 0; second <= 200; ++second) {
    reads(second, 0, 0);
    const std::vector<std::string> more = watch_.unread();
    EXPECT_TRUE(more.empty() || second == 61) << second;
    unread.insert(unread.end(), more.begin(), more.end());
  }
  EXPECT_THAT(unread, ElementsAre(kLoad));
}

TEST_F(TriggerWatchTest, FiresAgainOnlyAfterItWasFalseAndItsPause) {
  load(0, 1);
  EXPECT_THAT(load(1, 9), ElementsAre(kLoad));
  load(2, 1);
  EXPECT_THAT(load(60, 9), IsEmpty()) << "within the pause";
  EXPECT_THAT(load(70, 9), IsEmpty()) << "it was true all the time";
  load(71, 1);
  EXPECT_THAT(load(72, 9), ElementsAre(kLoad));
}

TEST_F(TriggerWatchTest, WhatIsNotReadStaysAsItWas) {
  load(0, 1);
  load(1, 9);
  begin(100);
  EXPECT_THAT(watch_.fired(), IsEmpty());
  EXPECT_THAT(load(101, 9), IsEmpty());
}

TEST_F(TriggerWatchTest, TotalsAreComparedPerSecond) {
  EXPECT_THAT(reads(0, 1'000'000, 0), IsEmpty()) << "the first reading has no growth";
  EXPECT_THAT(reads(10, 1'001'000, 1000), IsEmpty()) << "100 each second is not more than 100";
  EXPECT_THAT(reads(11, 1'001'000, 1101), ElementsAre(kReads)) << "one device is enough";
  EXPECT_THAT(reads(12, 0, 1101), IsEmpty());
}

TEST_F(TriggerWatchTest, ATotalThatComesBackAfterLongIsNew) {
  reads(0, 0, 0);
  begin(61);
  watch_.fired();
  EXPECT_THAT(reads(62, 1'000'000, 0), IsEmpty());
  EXPECT_THAT(reads(63, 1'000'000, 0), IsEmpty());
  EXPECT_THAT(reads(64, 2'000'000, 0), ElementsAre(kReads));
}

TEST_F(TriggerWatchTest, PassesAllSamplesOn) {
  reads(0, 1, 2);
  load(1, 3);
  watch_.lines("a 1\n");
  watch_.keep("host.x");
  EXPECT_EQ(sink_.totals.at("host.block.bytes;device=vdb;op=read"), 2U);
  EXPECT_EQ(sink_.gauges.at("host.load.average_1m"), 3);
  EXPECT_EQ(sink_.text, "a 1\n");
  EXPECT_EQ(sink_.kept, "host.x");
}

TEST_F(TriggerWatchTest, WithoutTriggersSamplesTakeNoDetour) {
  TriggerWatch none(sink_, {}, seconds(60));
  EXPECT_EQ(&none.sink(), &sink_);
  EXPECT_EQ(&watch_.sink(), &watch_);
}

}  // namespace
}  // namespace statmill
