// A server whose wall clock is wrong for a while, through flush, rollup, expiry, restarts and queries.
#include <gtest/gtest.h>

#include <atomic>

#include "proto/istatd/parser.h"
#include "server/query/engine.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/answers.h"
#include "tests/support/memory_store.h"

namespace statmill {
namespace {

constexpr int64_t kStart = 1'700'006'400;  // a multiple of six hours: the first slot of a chunk
constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kYear = 365 * kDay;
constexpr int kOld = 96;  // samples, one each hour

class ClockSteps : public testing::Test {
 protected:
  // The server has run for ten minutes and has samples of the four days before.
  ClockSteps() {
    start();
    for (int i = 1; i <= kOld; ++i) send("old " + std::to_string(kStart - i * kHour) + " 1");
    run(10 * 60);
    flush();
  }

  TickTime now() const { return {from_unix_seconds(now_ + ahead_), SteadyTime(std::chrono::seconds(now_))}; }
  void start() {
    store_.restart();
    table_ = std::make_unique<Table>(tiers_, TableLimits{});
    const auto recovery = recover(store_, *table_);
    ASSERT_TRUE(recovery);
    ticker_ = std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log_},
                                       TickOptions{}, recovery->start, now().steady);
    tick();
  }
  // Makes a tick, with a sample of the server's own series, stamped by its clock.
  void tick() {
    send("self 1");
    ASSERT_TRUE(ticker_->tick(now()));
    std::atomic<bool> cancelled{false};
    ASSERT_TRUE(store_.reclaim(cancelled));
  }
  void flush() { ASSERT_TRUE(ticker_->flush_all(now())); }
  void run(int64_t seconds, int64_t step_s = 15) {
    for (int64_t left = seconds; left > 0; left -= step_s) {
      now_ += std::min(left, step_s);
      tick();
    }
  }
  void send(const std::string& line) {
    Batch batch;
    parse_istatd_lines(line, batch);
    ASSERT_EQ(table_->apply(batch, now().wall), batch.received) << line;
  }
  double count(const std::string& name, int64_t step_s = 10) {
    const QueryEngine engine(*table_, store_, {});
    const auto answer =
        engine.run({{name}, kStart - 9 * kDay, now_ + 700, step_s, {}}, from_unix_seconds(now_));
    EXPECT_TRUE(answer) << answer.error().message;
    double sum = 0;
    for (const Bucket& b : buckets_of(answer->series.at(0))) sum += static_cast<double>(b.count());
    return sum;
  }
  // Checks that no samples are lost, old and new ones, in any tier, in RAM, in the store and after a restart.
  void expect_all_is_well() {
    for (int i = 0; i < 2; ++i) {
      for (const int64_t step : {10, 300, 3600}) EXPECT_EQ(count("old", step), kOld) << step;
      const std::string live = "live" + std::to_string(now_);
      send(live + " 1");
      flush();
      run(60);
      for (const int64_t step : {10, 300, 3600}) EXPECT_EQ(count(live, step), 1) << step;
      start();
      for (const int64_t step : {10, 300, 3600})
        EXPECT_EQ(count(live, step), 1) << step << ", after a restart";
    }
    EXPECT_LE(ticker_->rollup_position().chunk, tiers_.finest().chunk_of_time(now_))
        << "live samples would be late";
    EXPECT_TRUE(health_.problems().empty());
    EXPECT_TRUE(health_.warnings().empty());
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  MemoryStore store_{tiers_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  int64_t now_ = kStart;  // the true time
  int64_t ahead_ = 0;     // of the wall clock
  std::unique_ptr<Table> table_;
  std::unique_ptr<Ticker> ticker_;
};

TEST_F(ClockSteps, AStartTenYearsAheadForThreeSecondsLosesNothing) {
  ahead_ = 10 * kYear;
  start();
  run(3, 1);
  EXPECT_EQ(health_.problems().count("clock"), 1U);
  ahead_ = 0;
  start();
  expect_all_is_well();
}

TEST_F(ClockSteps, RepeatedStartsTenYearsAheadLoseNothing) {
  ahead_ = 10 * kYear;
  for (int i = 0; i < 5; ++i) {
    start();
    run(12 * 60);
    flush();
  }
  EXPECT_EQ(health_.warnings().count("clock"), 1U);
  ahead_ = 0;
  start();
  expect_all_is_well();
}

TEST_F(ClockSteps, TwoYearsAheadInARunningServerLosesNothing) {
  ahead_ = 2 * kYear;
  run(75);
  EXPECT_EQ(health_.problems().count("clock"), 1U);
  flush();
  ahead_ = 0;
  run(75);
  expect_all_is_well();
}

TEST_F(ClockSteps, StepsOfAnySizeAndDirectionLoseNothing) {
  for (const int64_t by : {1L, 59L, kHour, kDay, 30 * kDay, kYear, 10 * kYear}) {
    for (const int sign : {1, -1}) {
      ahead_ = sign * by;
      run(std::min<int64_t>(by, 8 * kHour) / 2 + 1, 60);
      flush();
      ahead_ = 0;
      run(60);
      for (const int64_t step : {10, 300, 3600}) ASSERT_EQ(count("old", step), kOld) << ahead_ << " " << step;
    }
  }
  run(18 * kHour, 60);  // longer than the clock was slow in all
  expect_all_is_well();
}

TEST_F(ClockSteps, QueriesReturnOldDataWhileTheClockIsWrong) {
  ahead_ = 10 * kYear;
  run(600);
  EXPECT_EQ(count("old"), kOld);
}

// Only an operator who confirms a wrong clock loses data; confirming the right clock keeps later samples.
TEST_F(ClockSteps, ConfirmingTheRightClockAfterAWrongOneKeepsLaterSamples) {
  ahead_ = 10 * kYear;
  run(60);
  ticker_->confirm_clock(now());
  run(60);
  flush();
  ahead_ = 0;
  run(60);
  EXPECT_FALSE(table_->summary("old")) << "the operator confirmed a clock ten years ahead";
  EXPECT_EQ(health_.problems().count("clock"), 1U);
  send("*e 1");
  flush();
  ticker_->confirm_clock(now());
  run(60);
  EXPECT_TRUE(health_.problems().empty());
  for (int i = 0; i < 3; ++i) {
    send("live 1");
    flush();
    run(60);
    start();
    EXPECT_EQ(count("live"), i + 1);
    EXPECT_EQ(count("live", 3600), i + 1);
  }
}

TEST_F(ClockSteps, KeepsSamplesStampedByALateClock) {
  ahead_ = -2 * kYear;
  run(60);
  send("late 1");
  flush();
  const QueryEngine engine(*table_, store_, {});
  const int64_t then = now_ + ahead_;
  const auto answer = engine.run({{"late"}, then - 600, then + 600, 10, {}}, now().wall);
  ASSERT_TRUE(answer);
  double sum = 0;
  for (const Bucket& b : buckets_of(answer->series.at(0))) sum += static_cast<double>(b.count());
  EXPECT_EQ(sum, 1);
  ahead_ = 0;
  run(10 * 60);
  expect_all_is_well();
}

// The finest tier has dropped some of these slots, so the coarse buckets must not be computed from it.
TEST_F(ClockSteps, LateEventsOfADroppedChunkLoseNothingOfTheCoarseTiers) {
  for (int i = 0; i < 60; ++i) send("*e " + std::to_string(kStart + 10 * i) + " 5");
  run(12 * kDay, kHour);
  flush();
  EXPECT_EQ(count("e", kHour) > 0, true);
  const auto total = [&] {
    const QueryEngine engine(*table_, store_, {});
    const auto answer = engine.run({{"e"}, kStart, kStart + kHour, kHour, {}}, from_unix_seconds(now_));
    return stat_value(Stat::kSum, *answer, answer->series.at(0), 0);
  };
  EXPECT_EQ(total(), 300);
  ahead_ = -10 * kDay;
  run(60);
  send("*e " + std::to_string(kStart + 1000) + " 7");
  EXPECT_EQ(total(), 307) << "from memory";
  flush();
  EXPECT_EQ(total(), 307) << "from the store";
  ahead_ = 0;
  run(60);
  EXPECT_EQ(total(), 307);
}

TEST_F(ClockSteps, AStopOfAMonthIsReportedAndDataExpireByElapsedTime) {
  now_ += 30 * kDay;
  start();
  EXPECT_EQ(health_.problems().count("clock"), 1U);
  run(11 * 60);
  EXPECT_TRUE(health_.problems().empty());
  EXPECT_EQ(health_.warnings().count("clock"), 1U);
  EXPECT_FALSE(store_.snapshot()->chunk({0, tiers_[0].chunk_of_time(kStart - 2 * kDay), 1})->empty());
  run(9 * kDay, kHour);
  EXPECT_TRUE(store_.snapshot()->chunk({0, tiers_[0].chunk_of_time(kStart - 2 * kDay), 1})->empty())
      << "11 days old by elapsed time";
}

TEST_F(ClockSteps, ConfirmingTheClockEndsTheWaitAfterAStop) {
  now_ += 30 * kDay;
  start();
  EXPECT_EQ(ticker_->confirm_clock(now()), std::chrono::hours(30 * 24));
  run(60);
  EXPECT_TRUE(health_.problems().empty() && health_.warnings().empty());
  EXPECT_TRUE(store_.snapshot()->chunk({0, tiers_[0].chunk_of_time(kStart - 2 * kDay), 1})->empty());
}

TEST_F(ClockSteps, AnEmptyStoreTrustsAnyClock) {
  MemoryStore empty(tiers_);
  Table table(tiers_, TableLimits{});
  Ticker ticker({table, empty, registry_, health_, log_}, {}, {}, now().steady);
  for (const int64_t ahead : {0L, 50 * kYear, 0L}) {
    ASSERT_TRUE(ticker.tick({from_unix_seconds(now_ + ahead), now().steady}));
    EXPECT_EQ(ticker.rollup_position(), RollupPosition{});
    EXPECT_TRUE(health_.problems().empty());
  }
}

TEST_F(ClockSteps, LogsTheTierAndRangeOfDroppedData) {
  Log log(LogLevel::kInfo);
  TickStart start;
  start.last_tick = *store_.snapshot()->last_tick();
  start.flushed.fill(start.last_tick);
  start.rollup = *store_.snapshot()->rollup_position();
  start.clock = *store_.snapshot()->clock();
  ticker_ = std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log},
                                     TickOptions{}, start, now().steady);
  testing::internal::CaptureStderr();
  run(11 * kDay, kHour);
  const std::string said = testing::internal::GetCapturedStderr();
  const std::string from = std::to_string((kStart - kOld * kHour) / 21600 * 21600);
  EXPECT_NE(said.find("dropped data past their retention"), std::string::npos) << said;
  EXPECT_NE(said.find("tier_s=10 from_s=" + from), std::string::npos) << said;
}

}  // namespace
}  // namespace statmill
