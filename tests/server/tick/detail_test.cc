// The detail tier: seconds through ingest, flush, restart, expiry and a rule that comes later.
#include <gtest/gtest.h>

#include <atomic>

#include "proto/istatd/parser.h"
#include "server/query/engine.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/answers.h"
#include "tests/support/memory_store.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

class DetailTest : public testing::Test {
 protected:
  DetailTest() { restart({"host.* 1s:6h"}); }

  // Recovers from what the store has, as after a crash.
  void restart(const std::vector<std::string>& rules) {
    Retention retention(tiers_);
    for (const std::string& rule : rules) ASSERT_TRUE(retention.add_rule(rule)) << rule;
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
  // Sends a sample each second of [now, now + seconds): 1, 2, 3 ...
  void run(const std::string& name, int64_t seconds) {
    std::string lines;
    for (int64_t i = 0; i < seconds; ++i)
      lines += name + " " + std::to_string(now_ + i) + " " + std::to_string(i + 1) + "\n";
    now_ += seconds;
    Batch batch;
    parse_istatd_lines(lines, batch);
    ASSERT_EQ(table_->apply(batch, from_unix_seconds(now_)), static_cast<uint64_t>(seconds));
    tick();
  }
  QueryAnswer ask(const std::vector<std::string>& series, int64_t from_s, int64_t until_s,
                  std::optional<int64_t> step_s) {
    const QueryEngine engine(*table_, store_, {});
    const auto answer = engine.run({series, from_s, until_s, step_s, {}}, from_unix_seconds(now_));
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? *answer : QueryAnswer{};
  }
  // The sums of the first series, and the tier that they came from.
  std::string sums(const std::vector<std::string>& series, int64_t from_s, int64_t until_s, int64_t step_s) {
    const QueryAnswer answer = ask(series, from_s, until_s, step_s);
    std::string out = std::to_string(answer.tier_s) + ":";
    for (const Bucket& b : buckets_of(answer.series.at(0)))
      out += b.is_empty() ? " -" : " " + std::to_string(static_cast<int64_t>(b.sum()));
    return out;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  MemoryStore store_{tiers_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  int64_t now_ = kStart;
  std::unique_ptr<Table> table_;
  std::unique_ptr<Ticker> ticker_;
};

TEST_F(DetailTest, SecondsAreAnsweredFromRamFromTheJournalAndFromTheStore) {
  run("host.load", 20);
  const std::string seconds = "1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20";
  EXPECT_EQ(sums({"host.load"}, kStart, kStart + 20, 1), seconds);
  EXPECT_EQ(sums({"host.load"}, kStart, kStart + 20, 10), "10: 55 155");
  restart({"host.* 1s:6h"});
  EXPECT_EQ(sums({"host.load"}, kStart, kStart + 20, 1), seconds) << "from the journal";
  flush();
  EXPECT_EQ(sums({"host.load"}, kStart, kStart + 20, 1), seconds) << "from the store";
  EXPECT_EQ(sums({"host.load"}, kStart, kStart + 20, 10), "10: 55 155");
  EXPECT_EQ(sums({"host.load"}, kStart, kStart + 20, 5), "1: 15 40 65 90");
}

TEST_F(DetailTest, SeriesWithoutDetailMakeTheFinestTierAnswer) {
  run("host.load", 10);
  now_ = kStart;
  run("other", 10);
  EXPECT_EQ(ask({"host.load"}, kStart, now_, 1).tier_s, 1);
  EXPECT_EQ(ask({"other"}, kStart, now_, 1).tier_s, 10);
  EXPECT_EQ(sums({"host.load", "other"}, kStart, now_, 1), "10: 55");
}

TEST_F(DetailTest, DetailOfALaterRuleBeginsWithTheNextFlushAndIsUsedWhereItIsWhole) {
  run("app.load", 20);
  restart({"app.* 1s:6h"});
  const int64_t middle_s = now_;
  run("app.load", 10);
  EXPECT_EQ(sums({"app.load"}, middle_s, now_, 1), "10: 55") << "the slots in RAM are not yet of seconds";
  flush();
  run("app.load", 10);
  EXPECT_EQ(sums({"app.load"}, now_ - 10, now_, 1), "1: 1 2 3 4 5 6 7 8 9 10");
  EXPECT_EQ(sums({"app.load"}, kStart, now_, 1), "10: 55 155 55 55") << "not all of it has detail";
  restart({});
  EXPECT_EQ(sums({"app.load"}, kStart, now_, 1), "10: 55 155 55 55") << "the rule is gone";
  run("app.load", 10);
  flush();
  run("app.load", 10);
  restart({});
  EXPECT_EQ(sums({"app.load"}, kStart, now_, 10), "10: 55 155 55 55 55 55");
}

TEST_F(DetailTest, DetailExpiresAndTheFinestTierStays) {
  run("host.load", 20);
  flush();
  now_ += 5 * 3600;
  tick();
  EXPECT_EQ(ask({"host.load"}, kStart, kStart + 20, 1).tier_s, 1);
  now_ += 3 * 3600;
  run("live", 1);
  ticker_->confirm_clock(time());
  tick();
  EXPECT_EQ(sums({"host.load"}, kStart, kStart + 20, 1), "10: 55 155");
  std::atomic<bool> cancelled{false};
  ASSERT_TRUE(store_.reclaim(cancelled));
  const TierNo detail = tiers_.detail_no();
  EXPECT_TRUE(store_.snapshot()->chunk({detail, tiers_[detail].chunk_of_time(kStart), 0})->empty());
  EXPECT_FALSE(store_.snapshot()->chunk({0, tiers_[0].chunk_of_time(kStart), 0})->empty());
}

TEST_F(DetailTest, SilentSecondsOfEventsAreZeros) {
  run("*host.hits", 3);
  now_ += 4;
  run("*host.hits", 3);
  EXPECT_EQ(sums({"host.hits"}, kStart, kStart + 10, 1), "1: 1 2 3 0 0 0 0 1 2 3");
  EXPECT_EQ(sums({"host.hits"}, kStart, kStart + 10, 10), "10: 1") << "the rate of all ten seconds";
}

TEST_F(DetailTest, SeriesThatSendNowAndThenAreAnsweredBySlots) {
  for (int i = 0; i < 6; ++i) {
    const int64_t begin_s = now_;
    for (const char* name : {"host.load", "*host.hits;host=a", "$c host.up;host=a"}) {
      now_ = begin_s;
      run(name, 1);
    }
    now_ = begin_s + 10;
  }
  const auto tier_of = [&](const std::string& name) { return ask({name}, kStart, now_, {}).tier_s; };
  EXPECT_EQ(tier_of("host.load"), 10);
  EXPECT_EQ(tier_of("host.hits;host=a"), 10) << "the host is there once in ten seconds";
  EXPECT_EQ(tier_of("host.up;host=a"), 10);
  EXPECT_EQ(ask({"host.load"}, kStart, now_, 1).tier_s, 1) << "a step that is asked for";
}

TEST_F(DetailTest, EventsThatComeOnceASlotAreAnsweredBySlots) {
  const int64_t begin_s = now_;
  for (int i = 0; i < 4; ++i) {
    const auto run_at = [&](const char* name, int64_t second) {
      now_ = begin_s + 10 * i + second;
      run(name, 1);
    };
    run_at("*host.sums", 7 + i % 2);
    run_at("*host.errors", 2 * i);
    run_at("*host.bursts", 3);
    run_at("*host.bursts", 4);
  }
  now_ = begin_s + 40;
  const auto tier_of = [&](const std::string& name) { return ask({name}, begin_s, now_, {}).tier_s; };
  EXPECT_EQ(tier_of("host.sums"), 10) << "else ten seconds' worth looks like that of one";
  EXPECT_EQ(tier_of("host.errors"), 1);
  EXPECT_EQ(tier_of("host.bursts"), 1);
  for (int i : {5, 20}) {
    now_ = begin_s + 10 * i;
    run("*host.rare", 1);
  }
  EXPECT_EQ(tier_of("host.rare"), 1);
  now_ = begin_s + 300;
  run("*host.once", 1);
  EXPECT_EQ(ask({"host.once"}, begin_s, now_, {}).tier_s, 1);
}

}  // namespace
}  // namespace statmill
