// ClockGuard: the time that retention uses while the wall clock is wrong.
#include "server/tick/clock_guard.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kDay = hours(24);
constexpr Duration kYear = 365 * kDay;
constexpr int64_t kForever_s = 100 * 365 * 86'400LL;  // a retention that no difference outlasts

class ClockGuardTest : public testing::Test {
 protected:
  ClockGuardTest() { start(); }

  ClockGuard::Readings now() const { return {true_time_ + error_, boot_, newest_}; }
  void start(const std::optional<ClockRow>& saved = {}) { guard_.emplace(kDay, saved, now()); }
  // Lets time pass, with a tick per minute and samples stamped by the wall clock.
  void pass(Duration time) {
    constexpr Duration kTick = minutes(1);
    for (Duration left = time; left > Duration(0); left -= kTick) {
      const Duration part = std::min(left, kTick);
      true_time_ += part;
      boot_ += part;
      tick();
    }
  }
  std::optional<Duration> tick() {
    newest_ = std::max(*newest_, true_time_ + error_);
    return guard_->tick(now());
  }
  void step(Duration by) {
    error_ += by;
    tick();
  }
  // Stops the server for this time; the machine boots again meanwhile.
  void stop_for(Duration time) {
    const ClockRow saved = guard_->row();
    true_time_ += time;
    boot_ = SteadyTime(seconds(20));
    start(saved);
  }
  // By how much data with this retention expire later than they should; negative if they expire too early.
  Duration late(int64_t retention_s = kForever_s) const {
    return true_time_ - from_unix_seconds(guard_->now_s(retention_s));
  }

  Timestamp true_time_ = from_unix_seconds(1'700'000'000);
  Duration error_{0};  // of the wall clock
  SteadyTime boot_{seconds(1000)};
  std::optional<Timestamp> newest_ = true_time_;
  std::optional<ClockGuard> guard_;
};

TEST_F(ClockGuardTest, AnotherUncountedTimeAppliesFromNowOn) {
  pass(hours(1));
  guard_->set_uncounted_max(hours(2));
  true_time_ += hours(3);  // without a tick, as if the machine had been suspended
  boot_ += hours(3);
  tick();
  EXPECT_EQ(guard_->ahead(), hours(3)) << "so long a pause is not counted any more";
  guard_->set_uncounted_max(kDay);
  true_time_ += minutes(150);
  boot_ += minutes(150);
  tick();
  EXPECT_EQ(guard_->ahead(), hours(3)) << "and this one is";
}

TEST_F(ClockGuardTest, FollowsAClockThatIsRight) {
  pass(5 * kDay);
  EXPECT_EQ(late(), ClockGuard::kStepMin);
  EXPECT_EQ(guard_->ahead(), Duration(0));
  EXPECT_EQ(guard_->trouble(), "");
}

TEST_F(ClockGuardTest, AStepThatLastsLessThanItsSizeExpiresNothingEarly) {
  for (const Duration by : {Duration(1), Duration(seconds(1)), Duration(seconds(59)), Duration(minutes(61)),
                            kDay, 30 * kDay, 10 * kYear}) {
    for (const int sign : {1, -1}) {
      const Duration lasts = std::min<Duration>(by, 2 * kDay) / 2;
      step(sign * by);
      EXPECT_GE(late(), Duration(0)) << by.count();
      pass(lasts);
      EXPECT_GE(late(), Duration(0)) << by.count();
      step(-sign * by);
      EXPECT_GE(late(), Duration(0)) << by.count();
      if (sign < 0) pass(std::max<Duration>(lasts, minutes(10)));
      EXPECT_LE(late(), 2 * ClockGuard::kStepMin) << "the step leaves no trace " << by.count() * sign;
      EXPECT_EQ(guard_->trouble(), "");
    }
  }
}

// The clock was ahead when the count started, so its later, right readings look slow.
TEST_F(ClockGuardTest, NoClockThatGoesWrongAgainExpiresWhatItAcceptedWhileItWasRight) {
  for (const Duration again : {kYear, kYear + hours(1), 10 * kYear}) {
    error_ = kYear;
    newest_ = true_time_ + error_;
    start();
    pass(minutes(5));
    error_ = Duration(0);
    pass(5 * kDay);
    error_ = again;
    for (int day = 0; day < 4; ++day) {
      pass(kDay);
      ASSERT_GE(late(), Duration(0)) << again.count();
      ASSERT_NE(guard_->trouble(), "");
      stop_for(seconds(20));
    }
    error_ = Duration(0);
    pass(kDay);
    EXPECT_GE(late(), Duration(0)) << again.count();
  }
}

// The count is an hour ahead, so the right time is slow, and it was slower before.
TEST_F(ClockGuardTest, ASlowClockIsTrustedAlthoughItWasSlowerBefore) {
  step(hours(1));
  pass(hours(1) + minutes(1));
  step(-10 * kYear);
  pass(minutes(20));
  step(10 * kYear - hours(1));
  pass(hours(2));
  EXPECT_EQ(guard_->trouble(), "");
  EXPECT_LE(late(), 2 * ClockGuard::kStepMin);
}

TEST_F(ClockGuardTest, AStopWhileTheClockLooksSlowDoesNotProlongTheDoubtForEver) {
  step(hours(12));
  pass(hours(12) + minutes(1));
  step(-hours(12));
  pass(hours(1));
  stop_for(minutes(2));
  pass(hours(12));
  EXPECT_EQ(guard_->trouble(), "");
  EXPECT_LE(late(), 2 * ClockGuard::kStepMin);
}

// A machine without a clock of its own starts with an old time for a moment.
TEST_F(ClockGuardTest, AfterALongStopThatEndsWithASlowClockDataExpireByElapsedTime) {
  pass(hours(1));
  true_time_ += 30 * kDay;
  const ClockRow saved = guard_->row();
  error_ = -20 * kYear;
  boot_ = SteadyTime(seconds(20));
  start(saved);
  tick();
  step(20 * kYear);
  pass(minutes(11));
  EXPECT_LE(late(), 31 * kDay) << "expiry goes on at the pace of time";
  EXPECT_NE(guard_->trouble(), "");
}

TEST_F(ClockGuardTest, AClockThatWasSlowIsTrustedOnceItHasBeenRightForAsLong) {
  step(-10 * kYear);  // as of a machine that starts without the time
  pass(hours(2));
  step(10 * kYear);
  pass(hours(1));
  EXPECT_GE(late(), 9 * kYear) << "expiry waits";
  EXPECT_EQ(
      guard_->trouble(),
      "the wall clock was 10y behind the time that has passed since it was last right; expiry and rollup "
      "wait until its present time has lasted for 2h. If the clock is right, run `statmill clock confirm`");
  EXPECT_FALSE(guard_->is_fresh()) << "the clock is right now";
  stop_for(minutes(2));
  pass(minutes(58));
  EXPECT_GE(late(), 9 * kYear) << "a restart does not end the wait";
  pass(minutes(13));  // the stop is accepted after ten minutes
  EXPECT_LE(late(), 2 * ClockGuard::kStepMin);
  EXPECT_EQ(guard_->trouble(), "");
}

TEST_F(ClockGuardTest, ReturnsTheSizeOfAStep) {
  EXPECT_FALSE(tick());
  error_ = hours(5);
  EXPECT_EQ(tick(), Duration(hours(5)));
  EXPECT_FALSE(tick());
  error_ = -hours(5);
  EXPECT_EQ(tick(), Duration(-hours(10)));
}

TEST_F(ClockGuardTest, ASuspendedMachineIsNotAStep) {
  true_time_ += hours(8);
  boot_ += hours(8);
  EXPECT_FALSE(tick());
  EXPECT_EQ(guard_->ahead(), Duration(0));
}

TEST_F(ClockGuardTest, AClockThatIsYearsAheadExpiresOnlyTiersShorterThanItHasLasted) {
  step(10 * kYear);
  for (int day = 0; day < 40; ++day) {
    pass(kDay);
    ASSERT_GE(late(), Duration(0));
  }
  EXPECT_GE(late(365 * 86'400), Duration(0)) << "a tier of a year";
  EXPECT_LT(late(30 * 86'400), -9 * kYear) << "all old data of a tier of 30 days have expired anyway";
}

TEST_F(ClockGuardTest, TrustsAStepThatHasLastedAsLongAsItsSize) {
  step(hours(3));
  pass(hours(3) - minutes(1));
  EXPECT_GE(late(), Duration(0));
  pass(minutes(2));
  EXPECT_EQ(guard_->ahead(), Duration(0));
  EXPECT_EQ(guard_->trouble(), "");
}

TEST_F(ClockGuardTest, AnotherStepStartsTheWaitAgain) {
  step(hours(3));
  pass(hours(2));
  step(hours(1));
  pass(hours(3));
  EXPECT_EQ(guard_->ahead(), hours(4));
}

TEST_F(ClockGuardTest, TrustsAStopOfHoursAfterTenMinutes) {
  pass(hours(1));
  stop_for(hours(20));
  EXPECT_EQ(guard_->trouble(), "") << "an ordinary start";
  EXPECT_GE(late(), hours(20));
  pass(minutes(11));
  EXPECT_EQ(late(), ClockGuard::kStepMin);
}

TEST_F(ClockGuardTest, AStepSoonAfterAStopIsNotCountedAsPartOfTheStop) {
  pass(hours(1));
  stop_for(hours(2));
  step(hours(20));
  pass(hours(12));
  EXPECT_GE(late(), hours(2));
}

TEST_F(ClockGuardTest, AfterAStopOfAMonthDataExpireByElapsedTime) {
  pass(hours(1));
  stop_for(30 * kDay);
  EXPECT_NE(guard_->trouble(), "");
  EXPECT_TRUE(guard_->is_fresh());
  const Timestamp before = from_unix_seconds(guard_->now_s(kForever_s));
  pass(hours(10));
  EXPECT_FALSE(guard_->is_fresh());
  EXPECT_EQ(from_unix_seconds(guard_->now_s(kForever_s)) - before, hours(10));
  pass(10 * kDay);
  EXPECT_EQ(late(10 * 86'400), ClockGuard::kStepMin) << "a tier of ten days has no data from before the stop";
  EXPECT_GE(late(), 20 * kDay);
  pass(20 * kDay);
  EXPECT_EQ(late(), ClockGuard::kStepMin);
  EXPECT_EQ(guard_->trouble(), "");
}

TEST_F(ClockGuardTest, TheWaitContinuesAfterAnotherStop) {
  pass(hours(1));
  stop_for(30 * kDay);
  pass(20 * kDay);
  stop_for(minutes(30));
  EXPECT_FALSE(guard_->is_fresh()) << "the same difference as before";
  pass(10 * kDay + minutes(31));
  EXPECT_EQ(late(), ClockGuard::kStepMin);
}

TEST_F(ClockGuardTest, RestartsWithAWrongClockExpireNothing) {
  pass(hours(1));
  for (const Duration by : {10 * kYear, -10 * kYear, 2 * kDay, -2 * kDay}) {
    error_ = by;
    for (int start = 0; start < 20; ++start) {
      stop_for(seconds(10));
      newest_ = std::max(*newest_, true_time_ + error_);  // a sample of the server's own series
      pass(minutes(3));
      ASSERT_GE(late(), Duration(0));
      ASSERT_NE(guard_->trouble(), "");
    }
    error_ = Duration(0);
    stop_for(seconds(10));
    pass(minutes(61));
    EXPECT_LE(late(), 2 * ClockGuard::kStepMin);
    EXPECT_EQ(guard_->trouble(), "");
  }
}

TEST_F(ClockGuardTest,
       DoesNotTrustAStepOfAllClocksTogether) {  // as after a machine's snapshot, or in a sandbox
  error_ = 2 * kYear;
  boot_ += 2 * kYear;
  tick();
  EXPECT_GE(late(), Duration(0));
  pass(minutes(20));
  EXPECT_GE(late(), Duration(0));
}

TEST_F(ClockGuardTest, AnOperatorEndsTheWait) {
  step(30 * kDay);
  EXPECT_NE(guard_->trouble(), "");
  guard_->confirm();
  EXPECT_EQ(guard_->trouble(), "");
  EXPECT_LT(late(), -29 * kDay);
  step(-30 * kDay);
  EXPECT_NE(guard_->trouble().find("behind"), std::string::npos) << guard_->trouble();
  guard_->confirm();
  EXPECT_EQ(guard_->trouble(), "");
  EXPECT_EQ(late(), ClockGuard::kStepMin);
}

TEST_F(ClockGuardTest, TheTimeIsAtMostAnHourAfterTheNewestSample) {
  newest_ = true_time_ - 5 * kDay;
  start();
  for (int day = 0; day < 20; ++day) {
    true_time_ += kDay;
    boot_ += kDay;
    guard_->tick(now());
  }
  EXPECT_EQ(late(), 25 * kDay - ClockGuard::kNewestAhead + ClockGuard::kStepMin);
}

TEST_F(ClockGuardTest, AnEmptyStoreExpiresNothingAndTrustsAnyClock) {
  newest_.reset();
  start();
  error_ = -10 * kYear;
  guard_->tick(now());
  EXPECT_EQ(guard_->now_s(kForever_s), 0);
  EXPECT_EQ(guard_->ahead(), Duration(0));
}

TEST_F(ClockGuardTest, DescribesTheTroubleForAnOperator) {
  step(10 * kYear);
  EXPECT_EQ(
      guard_->trouble(),
      "the wall clock is 10y ahead of the time that has passed since it was last right; expiry and rollup "
      "use "
      "the elapsed time instead of the clock until the difference has lasted for 10y. If the clock is right, "
      "run `statmill clock confirm`");
}

TEST_F(ClockGuardTest, ItsRowSurvivesEncodingAndDecoding) {
  for (const ClockRow& row :
       {ClockRow{true_time_, -10 * kYear, minutes(7), 11 * kYear, hours(8)}, guard_->row()})
    EXPECT_EQ(decode_clock_row(encode_clock_row(row)), row);
  EXPECT_FALSE(decode_clock_row("short"));
}

}  // namespace
}  // namespace statmill
