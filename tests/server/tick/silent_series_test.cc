// Series whose data are all past their retention are deleted by ticks, a few at a time; late samples keep
// them.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "proto/istatd/parser.h"
#include "server/query/engine.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/answers.h"
#include "tests/support/memory_store.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

class SilentSeries : public testing::Test {
 protected:
  SilentSeries() { start(); }

  void start() {
    ticker_.reset();
    table_ = std::make_unique<Table>(tiers_, limits_);
    const auto recovery = recover(store_, *table_);
    ASSERT_TRUE(recovery);
    ticker_ = std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log_},
                                       TickOptions{}, recovery->start, time().steady);
    ticker_->begin(time());
  }
  TickTime time() const { return {from_unix_seconds(now_), SteadyTime(std::chrono::seconds(now_))}; }
  // Returns how many samples were accepted.
  uint64_t send(const std::string& lines) {
    Batch batch;
    parse_istatd_lines(lines, batch);
    return table_->apply(batch, time().wall);
  }
  void tick() { ASSERT_TRUE(ticker_->tick(time())); }
  // Half an hour passes, then a flush notes which series are silent. The next tick deletes them.
  void wait_and_flush() {
    now_ += kWaitS;
    ASSERT_EQ(send("live 1\n"), 1U);
    tick();
    ASSERT_TRUE(ticker_->flush_all(time()));
  }
  bool has(const std::string& name) const { return table_->summary(name).has_value(); }
  // Waits until a series is deleted; its samples are those of now. Returns the number of flushes before.
  int flushes_until_gone(const std::string& name) {
    int flushes = 0;
    for (; has(name) && flushes < 1000; ++flushes) {
      wait_and_flush();
      tick();
    }
    EXPECT_FALSE(has(name));
    return flushes;
  }
  double count_of(const std::string& name) {
    const QueryEngine engine(*table_, store_, {});
    const auto answer = engine.run({{name}, now_ - kDay, now_ + 60, 300, {}}, time().wall);
    return answer ? total_of(Stat::kCount, *answer, answer->series.at(0)) : 0;
  }

  static constexpr int64_t kWaitS = 1800;
  static constexpr int64_t kChunkS = 1152 * 300;  // of the coarsest tier
  const Tiers tiers_ = *Tiers::parse("10s:12h,5m:1d");
  TableLimits limits_;
  MemoryStore store_{tiers_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  int64_t now_ = kStart;
  std::unique_ptr<Table> table_;
  std::unique_ptr<Ticker> ticker_;
};

TEST_F(SilentSeries, LeaveWhenAllTheirDataAreGone) {
  send("old 1\nlive 1\n");
  const int64_t waited_s = flushes_until_gone("old") * kWaitS;
  EXPECT_GT(waited_s, kDay);
  EXPECT_LT(waited_s, kDay + kChunkS + kHour) << "chunks expire whole";
  EXPECT_EQ(table_->series_count(), 1U);
  EXPECT_EQ(table_->series_expired(), 1U);
  start();
  EXPECT_FALSE(has("old"));
  EXPECT_GE(count_of("live"), static_cast<double>(kDay / kWaitS)) << "nothing of the others is lost";
  EXPECT_EQ(send("old 2\n"), 1U) << "a new series";
  tick();
  EXPECT_EQ(count_of("old"), 1);
}

TEST_F(SilentSeries, AreKeptIfASampleComesBeforeTheyAreDeleted) {
  send("old 1\n");
  const int flushes = flushes_until_gone("old");
  while ((now_ - kStart) % kChunkS != 0) {  // so that chunks begin as before
    wait_and_flush();
    tick();
  }
  send("late 1\n");
  const SeriesId id = table_->summary("late")->id;
  for (int i = 0; i + 1 < flushes; ++i) {
    wait_and_flush();
    tick();
  }
  wait_and_flush();  // notes it
  ASSERT_TRUE(has("late"));
  ASSERT_EQ(send("late 2\n"), 1U);
  tick();
  ASSERT_TRUE(has("late"));
  EXPECT_EQ(table_->summary("late")->id, id);
  EXPECT_EQ(table_->series_expired(), 1U);
  EXPECT_EQ(count_of("late"), 1);
  start();
  EXPECT_EQ(count_of("late"), 1);
}

TEST_F(SilentSeries, LeaveAFewInEachTick) {
  std::string lines;
  for (int i = 0; i < 1200; ++i) lines += "old." + std::to_string(i) + " 1\n";
  send(lines);
  while (table_->series_expired() == 0 && now_ < kStart + 7 * kDay) {
    wait_and_flush();
    tick();
  }
  EXPECT_EQ(table_->series_expired(), 500U);
  tick();
  EXPECT_EQ(table_->series_expired(), 1000U);
  tick();
  EXPECT_EQ(table_->series_expired(), 1200U);
  EXPECT_EQ(table_->series_count(), 1U);
}

// To look for other series of a family costs time.
TEST_F(SilentSeries, OfManyFamiliesLeaveInManyTicks) {
  std::string lines;
  for (int i = 0; i < 30; ++i)
    lines += "$m g old." + std::to_string(i) + " s help\nold." + std::to_string(i) + ";n=1 1\nold." +
             std::to_string(i) + ";n=2 1\n";
  send(lines);
  ASSERT_EQ(table_->families().size(), 30U);
  while (table_->series_expired() == 0 && now_ < kStart + 7 * kDay) {
    wait_and_flush();
    tick();
  }
  EXPECT_EQ(table_->series_expired(), 40U);
  tick();
  EXPECT_EQ(table_->series_expired(), 60U);
  EXPECT_EQ(table_->families().size(), 0U);
}

// Names that come and go do not fill the limit of series: those that were silent for a day do not count.
TEST_F(SilentSeries, OfADayDoNotCountForTheLimitOfSeries) {
  limits_.series_max = 10;
  start();
  std::string lines;
  for (int i = 0; i < 9; ++i) lines += "old." + std::to_string(i) + " 1\n";
  ASSERT_EQ(send(lines + "live 1\n"), 10U);
  EXPECT_EQ(send("new 1\n"), 0U);
  while (now_ < kStart + kDay) wait_and_flush();
  ASSERT_EQ(table_->series_count(), 10U);
  start();
  EXPECT_EQ(table_->active_count(), 10U) << "a start counts by the newest samples";
  EXPECT_EQ(send("new 1\n"), 0U);
  wait_and_flush();
  EXPECT_EQ(table_->active_count(), 1U);
  start();
  EXPECT_EQ(table_->active_count(), 1U);
  EXPECT_EQ(table_->series_count(), 10U);
  EXPECT_EQ(send("new 1\n"), 1U);
}

}  // namespace
}  // namespace statmill
