#include "server/query/attempts.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

// An attempt that succeeds after some failures. Each reads 10 slots and holds 50 bytes.
class Attempts {
 public:
  Attempts(QueryControl& control, int failures) : control_(control), failures_(failures) {}

  Result<int> run() {
    return run_attempts(control_, [this]() -> Result<int> {
      ++count_;
      control_.add_cost({.series = 1});
      if (Status s = control_.add_slots(10); !s) return s.error();
      if (Status s = control_.take_memory(50); !s) return s.error();
      if (count_ <= failures_) return Error{ErrorCode::kBusy, "names have changed"};
      return count_;
    });
  }
  int count() const { return count_; }

 private:
  QueryControl& control_;
  const int failures_;
  int count_ = 0;
};

TEST(RunAttempts, TriesAgainWhileNamesChange) {
  QueryControl control;
  EXPECT_EQ(*Attempts(control, 5).run(), 6);
}

TEST(RunAttempts, TriesAgainIfTheRetentionChangesMeanwhile) {
  LiveRetention live(*Tiers::parse("10s:10d"));
  QueryControl control;
  int count = 0;
  const Result<int> result = run_attempts(live, control, [&]() -> Result<int> {
    if (++count < 3) live.set(*Tiers::parse("10s:" + std::to_string(count) + "d"));
    return count;
  });
  EXPECT_EQ(*result, 3);
}

TEST(RunAttempts, GivesUpInTheEnd) {
  QueryControl control;
  Attempts attempts(control, 1'000'000);
  EXPECT_EQ(attempts.run().error().code, ErrorCode::kBusy);
  EXPECT_EQ(attempts.count(), kAttemptsMax);
}

TEST(RunAttempts, CostAndMemoryAreThoseOfTheLastAttempt) {
  QueryMemory memory(1000);
  QueryLimits limits;
  limits.memory_bytes_max = 60;
  limits.slots_max = 15;
  QueryControl control(limits, &memory);
  EXPECT_EQ(*Attempts(control, 5).run(), 6);
  EXPECT_EQ(control.cost().slots, 10U);
  EXPECT_EQ(control.cost().series, 1U);
  EXPECT_EQ(memory.bytes(), 50U);
}

TEST(RunAttempts, ALimitEndsIt) {
  QueryMemory memory(40);
  QueryControl control({}, &memory);
  Attempts attempts(control, 5);
  EXPECT_EQ(attempts.run().error().code, ErrorCode::kBusy) << "the memory of all queries is used up";
  EXPECT_EQ(attempts.count(), 1);
}

TEST(RunAttempts, AHeavyQueryLeavesTheSmallOnes) {
  QueryLimits limits;
  limits.heavy_slots = 5;
  QueryControl control(limits);
  control.run_among_small(true);
  Attempts attempts(control, 0);
  EXPECT_FALSE(attempts.run());
  EXPECT_EQ(attempts.count(), 1);
  EXPECT_TRUE(control.is_too_heavy());
}

TEST(RunAttempts, OtherErrorsEndIt) {
  QueryControl control;
  int count = 0;
  const auto result = run_attempts(control, [&]() -> Result<int> {
    ++count;
    return Error{ErrorCode::kCorrupt, "damaged"};
  });
  EXPECT_EQ(result.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace statmill
