// A body has to arrive at a minimal rate after its first step, and within its time.
#include "server/http/body_pace.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

using std::chrono::seconds;

constexpr BodyPaceLimits kLimits = {.whole = seconds(60), .step = seconds(5), .step_bytes = 100};
constexpr BodyPace::TimePoint kBegin{seconds(1000)};

TEST(BodyPaceTest, TheFirstStepMayBringNothingAndTheSecondBringsTheMinimum) {
  BodyPace pace(kLimits, kBegin);
  EXPECT_EQ(pace.next_check(), kBegin + seconds(5));
  EXPECT_TRUE(pace.is_kept(kBegin + seconds(5), 0));
  EXPECT_EQ(pace.next_check(), kBegin + seconds(10));
  EXPECT_FALSE(pace.is_kept(kBegin + seconds(10), 99));
}

TEST(BodyPaceTest, BytesOfAnEarlierStepDoNotCount) {
  BodyPace pace(kLimits, kBegin);
  EXPECT_TRUE(pace.is_kept(kBegin + seconds(5), 5000));
  EXPECT_TRUE(pace.is_kept(kBegin + seconds(10), 5100));
  EXPECT_FALSE(pace.is_kept(kBegin + seconds(15), 5199));
}

TEST(BodyPaceTest, TheMinimalRateIsKeptUntilTheTimeIsOver) {
  BodyPace pace(kLimits, kBegin);
  size_t bytes = 0;
  for (auto at = seconds(5); at < kLimits.whole; at += seconds(5), bytes += 100) {
    EXPECT_EQ(pace.next_check(), kBegin + at);
    EXPECT_TRUE(pace.is_kept(kBegin + at, bytes)) << at.count();
  }
  EXPECT_EQ(pace.next_check(), kBegin + kLimits.whole);
  EXPECT_FALSE(pace.is_kept(kBegin + kLimits.whole, bytes));
}

TEST(BodyPaceTest, AShortTimeEndsBeforeTheFirstStep) {
  BodyPace pace({.whole = seconds(2), .step = seconds(5), .step_bytes = 100}, kBegin);
  EXPECT_EQ(pace.next_check(), kBegin + seconds(2));
  EXPECT_FALSE(pace.is_kept(kBegin + seconds(2), 5000));
}

}  // namespace
}  // namespace statmill
