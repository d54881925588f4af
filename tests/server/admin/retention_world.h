// A server without sockets and threads, with a store on disk, whose retention can change.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "proto/istatd/parser.h"
#include "server/admin/retention_outlook.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"
#include "tests/support/times.h"

namespace statmill {

class RetentionWorld : public testing::Test {
 protected:
  static Retention retention_of(const std::string& tiers, const std::vector<std::string>& rules) {
    Retention out(*Tiers::parse(tiers));
    for (const std::string& rule : rules) EXPECT_TRUE(out.add_rule(rule)) << rule;
    return out;
  }
  static Retention at_start() { return retention_of("10s:10d,5m:1y", {"debug.* 10s:2d,5m:20d"}); }

  void SetUp() override {
    RocksOptions options;
    options.path = directory_.path() / "data";
    options.sync = false;
    auto opened = RocksStore::open(options, at_start().tiers());
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
    const auto recovery = recover(*store_, table_);
    ASSERT_TRUE(recovery);
    ticker_ = std::make_unique<Ticker>(Ticker::Services{table_, *store_, registry_, health_, log_},
                                       TickOptions{}, recovery->start, time().steady);
    ticker_->begin(time());
  }
  TickTime time() const { return {from_unix_seconds(now_), SteadyTime(std::chrono::seconds(now_))}; }
  void send(const std::string& name, int64_t time_s) {
    Batch batch;
    const std::string text = name + " " + std::to_string(time_s) + " 5\n";
    parse_istatd_lines(text, batch);
    ASSERT_EQ(table_.apply(batch, from_unix_seconds(now_)), 1U) << text;
  }
  // Sends a sample to each series every six hours, for so many days.
  void live(const std::vector<std::string>& names, int64_t days) {
    for (const int64_t end_s = now_ + days * kDay; now_ < end_s; now_ += 6 * kHour) {
      for (const std::string& name : names) send(name, now_);
      ASSERT_TRUE(ticker_->flush_all(time()));
    }
    ticker_->confirm_clock(time());
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(ticker_->tick(time()));  // so that all is rolled up
  }
  OutlookSources sources() {
    return {table_, *store_, [this](const TickThread::Job& job) { return job(*ticker_, time()); }, clock_};
  }
  // Returns "STEP SERIES BYTES" for each tier of the class that `next` drops anything of.
  std::string dropped(const Retention& next, size_t retention) {
    const auto outlook = retention_outlook(sources(), next);
    EXPECT_TRUE(outlook) << outlook.error().message;
    std::string out;
    for (const TierOutlook& tier : outlook->at(retention).tiers) {
      EXPECT_EQ(tier.affected_series == 0, tier.dropped_bytes == 0) << tier.step_s;
      EXPECT_LE(tier.dropped_bytes, tier.bytes);
      if (tier.affected_series > 0)
        out += std::to_string(tier.step_s) + " " + std::to_string(tier.affected_series) + "\n";
    }
    return out;
  }

  TempDirectory directory_;
  std::unique_ptr<RocksStore> store_;
  Table table_{at_start(), {}};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  int64_t now_ = kStart;
  ManualClock clock_;
  std::unique_ptr<Ticker> ticker_;
};

}  // namespace statmill
