// The silent slots of a host's event series are zeros only where the host's agent was at work.
#include <gtest/gtest.h>

#include <memory>

#include "server/query/engine.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/answers.h"
#include "tests/support/memory_store.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

constexpr std::string_view kErrors = "errors;host=web%201";

class HostPresenceTest : public testing::Test {
 protected:
  HostPresenceTest() {
    const auto recovery = recover(store_, table_);
    ticker_.emplace(Ticker::Services{table_, store_, registry_, health_, log_}, TickOptions{},
                    recovery->start, time().steady);
  }
  TickTime time() const { return {from_unix_seconds(now_), SteadyTime(std::chrono::seconds(now_))}; }
  void send(std::string_view name, Kind kind, int64_t time_s) {
    Batch batch;
    Sample& sample = batch.samples.emplace_back();
    sample.name = name;
    sample.kind = kind;
    sample.time_s = time_s;
    sample.value = Number::decimal(10, 0);
    batch.received = 1;
    ASSERT_EQ(table_.apply(batch, from_unix_seconds(now_)), 1U) << name;
  }
  // The agent collects in each slot of [begin_s, end_s).
  void present(int64_t begin_s, int64_t end_s, std::string_view name = "host.up;host=web%201") {
    for (int64_t t = begin_s; t < end_s; t += 10) send(name, Kind::kCounter, t);
  }
  // Flushes, and lets the rollup reach what is older than that.
  void pass(int64_t seconds) {
    ASSERT_TRUE(ticker_->flush_all(time()));
    now_ += seconds;
    send("live", Kind::kGauge, now_);
    ticker_->confirm_clock(time());
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(ticker_->tick(time()));
  }
  // The number of observations in each point of `name`: slots with events or zeros.
  std::vector<uint64_t> counts(std::string_view name, int64_t from_s, int64_t until_s, int64_t step_s) {
    const QueryEngine engine(table_, store_, {});
    const auto answer =
        engine.run({{std::string(name)}, from_s, until_s, step_s, {}}, from_unix_seconds(now_));
    EXPECT_TRUE(answer) << answer.error().message;
    std::vector<uint64_t> out;
    if (!answer) return out;
    EXPECT_EQ(answer->tier_s, step_s);
    for (const Bucket& bucket : buckets_of(answer->series.at(0))) out.push_back(bucket.count());
    return out;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  MemoryStore store_{tiers_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  Table table_{tiers_, TableLimits{}};
  std::optional<Ticker> ticker_;
  int64_t now_ = kStart;
};

TEST_F(HostPresenceTest, ADeadHostShowsNoZeros) {
  send(kErrors, Kind::kEvent, kStart);
  send(kErrors, Kind::kEvent, kStart + 40);
  present(kStart, kStart + 30);
  now_ = kStart + 65;
  EXPECT_EQ(counts(kErrors, kStart, kStart + 70, 10), (std::vector<uint64_t>{1, 1, 1, 0, 1, 0, 0}));
}

TEST_F(HostPresenceTest, WithoutAPresenceSeriesSilenceIsZero) {
  send(kErrors, Kind::kEvent, kStart);
  present(kStart, kStart + 60, "host.up;host=web2");
  now_ = kStart + 25;
  EXPECT_EQ(counts(kErrors, kStart, kStart + 40, 10), (std::vector<uint64_t>{1, 1, 1, 0}));
}

TEST_F(HostPresenceTest, OtherSeriesAreAsBefore) {
  send("errors", Kind::kEvent, kStart);
  send("seen;host=web%201", Kind::kCounter, kStart);
  present(kStart + 20, kStart + 30);
  now_ = kStart + 25;
  EXPECT_EQ(counts("errors", kStart, kStart + 30, 10), (std::vector<uint64_t>{1, 1, 1}));
  EXPECT_EQ(counts("seen;host=web%201", kStart, kStart + 30, 10), (std::vector<uint64_t>{1, 0, 0}));
}

TEST_F(HostPresenceTest, TheSlotUnderWayIsZeroIfTheHostWasThereASlotAgo) {
  send(kErrors, Kind::kEvent, kStart);
  present(kStart, kStart + 20);
  now_ = kStart + 21;
  EXPECT_EQ(counts(kErrors, kStart, kStart + 30, 10), (std::vector<uint64_t>{1, 1, 1}));
}

// An agent whose tags change has several presence series.
TEST_F(HostPresenceTest, AllPresenceSeriesOfAHostCount) {
  send(kErrors, Kind::kEvent, kStart);
  present(kStart, kStart + 20);
  present(kStart + 30, kStart + 40, "host.up;dc=eu;host=web%201");
  now_ = kStart + 105;
  EXPECT_EQ(counts(kErrors, kStart, kStart + 60, 10), (std::vector<uint64_t>{1, 1, 0, 1, 0, 0}));
}

TEST_F(HostPresenceTest, CoarseTiersHaveTheZerosOfPresentSlotsOnly) {
  const int64_t begin_s = kStart / 3600 * 3600 + 3600;
  now_ = begin_s;
  send(kErrors, Kind::kEvent, begin_s);
  present(begin_s, begin_s + 400);
  now_ = begin_s + 900;
  pass(kDay);
  EXPECT_EQ(counts(kErrors, begin_s, begin_s + 900, 300), (std::vector<uint64_t>{30, 10, 0}));
  EXPECT_EQ(counts(kErrors, begin_s, begin_s + 3600, 3600), (std::vector<uint64_t>{40}));
}

// More hosts than are kept at a time, in several views.
TEST_F(HostPresenceTest, EachHostHasItsOwn) {
  const QueryEngine engine(table_, store_, {});
  constexpr int kHosts = 600;
  for (int i = 0; i < kHosts; ++i) {
    const std::string host = ";host=h" + std::to_string(i);
    send("errors" + host, Kind::kEvent, kStart);
    present(kStart, kStart + 10 * (i % 4), "host.up" + host);
  }
  now_ = kStart + 100;
  const auto answer = engine.run({{"errors;*"}, kStart, kStart + 50, 10, {}}, from_unix_seconds(now_));
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(answer->series.size(), size_t{kHosts});
  for (const SeriesAnswer& series : answer->series) {
    const int i = std::stoi(series.name.substr(series.name.find(";host=h") + 7));
    uint64_t slots = 0;
    for (const Bucket& bucket : buckets_of(series)) slots += bucket.count();
    const int present = i % 4;
    EXPECT_EQ(slots, static_cast<uint64_t>(present == 0 ? 5 : present)) << series.name;
  }
}

}  // namespace
}  // namespace statmill
