// A ticker with retention rules, over a store in memory.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "proto/istatd/parser.h"
#include "server/query/engine.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/answers.h"
#include "tests/support/memory_store.h"
#include "tests/support/times.h"

namespace statmill {

class RetentionFixture : public testing::Test {
 protected:
  explicit RetentionFixture(const std::string& tiers = "10s:10d,5m:1y,1h:6y")
      : tiers_(*Tiers::parse(tiers)) {}

  static Retention retention_of(const Tiers& tiers, const std::vector<std::string>& rules) {
    Retention out(tiers);
    for (const std::string& rule : rules) EXPECT_TRUE(out.add_rule(rule)) << rule;
    return out;
  }
  void restart(const std::vector<std::string>& rules) { restart(retention_of(tiers_, rules)); }
  void restart(const Retention& retention) {
    store_.restart();
    table_ = std::make_unique<Table>(retention, TableLimits{});
    const auto recovery = recover(store_, *table_);
    ASSERT_TRUE(recovery);
    ticker_ = std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log_},
                                       TickOptions{}, recovery->start, time().steady);
    tick();
  }
  TickTime time() const { return {from_unix_seconds(now_), SteadyTime(std::chrono::seconds(now_))}; }
  void tick() { ASSERT_TRUE(ticker_->tick(time())); }
  void flush() { ASSERT_TRUE(ticker_->flush_all(time())); }
  // Flushes, then lets time pass with a trusted clock, a live sample and enough ticks for the rollup.
  void pass(int64_t seconds) {
    flush();
    now_ += seconds;
    ASSERT_EQ(send("live", now_), 1U);
    ticker_->confirm_clock(time());
    for (int i = 0; i < 20; ++i) tick();
  }
  // Removes expired data from the store.
  void reclaim() {
    now_ += 60;
    tick();
    std::atomic<bool> cancelled{false};
    ASSERT_TRUE(store_.reclaim(cancelled));
  }
  uint64_t send(const std::string& line, int64_t time_s) {
    Batch batch;
    const std::string text = line + " " + std::to_string(time_s) + " 5\n";
    parse_istatd_lines(text, batch);
    return table_->apply(batch, from_unix_seconds(now_));
  }
  QueryAnswer ask(const std::string& series, int64_t from_s, int64_t until_s, int64_t step_s) {
    const QueryEngine engine(*table_, store_, {});
    const auto answer = engine.run({{series}, from_s, until_s, step_s, {}}, from_unix_seconds(now_));
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? *answer : QueryAnswer{};
  }
  static uint64_t count(const SeriesAnswer& series) {
    uint64_t n = 0;
    for (const Bucket& b : buckets_of(series)) n += b.count();
    return n;
  }
  uint64_t count(const std::string& series, int64_t from_s, int64_t until_s, int64_t step_s) {
    return count(ask(series, from_s, until_s, step_s).series.at(0));
  }
  // Returns whether the tier has the chunk of that time. Ids count series from 0 in the order of creation.
  bool is_stored(TierNo tier, int64_t time_s, SeriesId id) {
    return !store_.snapshot()->chunk({tier, tiers_[tier].chunk_of_time(time_s), id})->empty();
  }

  const Tiers tiers_;
  MemoryStore store_{tiers_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  int64_t now_ = kStart;
  std::unique_ptr<Table> table_;
  std::unique_ptr<Ticker> ticker_;
};

}  // namespace statmill
