// Ticker: a tick is one transaction with rows, fragments, trim and rollup; failed writes are retried;
// recovery.
#include "server/tick/ticker.h"

#include <gtest/gtest.h>

#include "proto/istatd/parser.h"
#include "server/query/engine.h"
#include "server/tick/recovery.h"
#include "storage/codec/entry.h"
#include "storage/journal/journal.h"
#include "tests/support/answers.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/series_copy.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

// Reading a chunk of the finest tier fails.
class DamagedSnapshot final : public ForwardingSnapshot {
 public:
  using ForwardingSnapshot::ForwardingSnapshot;
  Result<std::string> chunk(const ChunkKey& key) override {
    if (key.tier > 0) return ForwardingSnapshot::chunk(key);
    return Error{ErrorCode::kCorrupt, "block checksum mismatch"};
  }
};

// Records every batch that is written to the store.
class NotingStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Status write(const StoreBatch& batch) override {
    Status done = store_.write(batch);
    if (done) batches.push_back(batch);
    if (done && after_write) after_write();
    return done;
  }

  std::unique_ptr<StoreSnapshot> snapshot() override {
    auto snapshot = store_.snapshot();
    return damaged ? std::make_unique<DamagedSnapshot>(std::move(snapshot)) : std::move(snapshot);
  }

  bool damaged = false;
  std::vector<StoreBatch> batches;
  std::function<void()>
      after_write;  // called when the store has the batch and the table does not know it yet
};

class TickerTest : public testing::Test {
 protected:
  TickerTest() { reopen(); }

  void reopen() {
    table_ = std::make_unique<Table>(tiers_, TableLimits{});
    const auto recovery = recover(store_, *table_);
    ASSERT_TRUE(recovery);
    ticker_ = std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log_},
                                       TickOptions{}, recovery->start, steady());
  }
  void send(const std::string& line) {
    Batch batch;
    parse_istatd_lines(line, batch);
    ASSERT_EQ(table_->apply(batch, from_unix_seconds(now_)), batch.received) << line;
  }
  SteadyTime steady() const { return SteadyTime(std::chrono::seconds(now_)); }
  Status tick() { return ticker_->tick({from_unix_seconds(now_), steady()}); }
  void flush() { ASSERT_TRUE(ticker_->flush_all({from_unix_seconds(now_), steady()})); }
  // Lets time pass, with a tick and a live sample every minute.
  void pass(int64_t minutes) {
    for (int64_t i = 0; i < minutes; ++i) {
      now_ += 60;
      send("live 1");
      ASSERT_TRUE(tick());
    }
  }
  // Returns the sum and count of all samples of a series, read at a step of `step_s`.
  std::pair<double, double> total(const std::string& name, int64_t step_s) {
    const QueryEngine engine(*table_, store_, {});
    const auto answer = engine.run({{name}, kStart - 86400, now_ + 700, step_s, {}}, from_unix_seconds(now_));
    EXPECT_TRUE(answer) << answer.error().message;
    const SeriesAnswer& series = answer->series.at(0);
    return {total_of(Stat::kSum, *answer, series), total_of(Stat::kCount, *answer, series)};
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  MemoryStore memory_{tiers_};
  NotingStore store_{memory_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  int64_t now_ = kStart;
  std::unique_ptr<Table> table_;
  std::unique_ptr<Ticker> ticker_;
};

TEST_F(TickerTest, WritesTheNewSeriesAndOneRowForAllShardsInOneBatch) {
  send("a 1\nb 2\na 3");
  ASSERT_TRUE(tick());
  ASSERT_EQ(store_.batches.size(), 1U);
  EXPECT_EQ(store_.batches[0].series.size(), 2U);
  EXPECT_EQ(store_.batches[0].journal.size(), 1U);
  EXPECT_TRUE(store_.batches[0].fragments.empty());
}

TEST_F(TickerTest, DebugSaysWhatATickWrites) {
  log_.set_level(LogLevel::kDebug);
  send("a 1\nb 2");
  testing::internal::CaptureStderr();
  ASSERT_TRUE(tick());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("debug tick tick=1 journal_rows=1 series_rows=2 flushed_shards=0 fragments=0"),
            std::string::npos)
      << said;
}

TEST_F(TickerTest, WritesNothingWithoutSamples) {
  ASSERT_TRUE(tick());
  EXPECT_TRUE(store_.batches.empty());
}

TEST_F(TickerTest, RetriesARefusedBatchWithoutLossOrDuplicates) {
  send("a 1");
  memory_.fail_next_write(Error{ErrorCode::kIo, "no space"});
  EXPECT_FALSE(tick());
  EXPECT_EQ(health_.problems().at("store"), "no space");
  send("a 2");
  EXPECT_EQ(total("a", 10), std::make_pair(3.0, 2.0)) << "while the store fails";
  ASSERT_TRUE(tick());
  EXPECT_TRUE(health_.problems().empty());
  EXPECT_EQ(total("a", 10), std::make_pair(3.0, 2.0));
  reopen();
  EXPECT_EQ(total("a", 10), std::make_pair(3.0, 2.0)) << "after a restart";
}

TEST_F(TickerTest, ABatchWhoseWriteFailedButIsInTheStoreCountsOnce) {
  for (const bool flush_everything : {false, true}) {
    const auto before = flush_everything ? total("a", 10) : std::make_pair(0.0, 0.0);
    send("a 1");
    memory_.fail_next_write(Error{ErrorCode::kIo, "sync"}, MemoryStore::Effect::kWhole);
    const TickTime now{from_unix_seconds(now_), steady()};
    EXPECT_FALSE(flush_everything ? ticker_->flush_all(now) : ticker_->tick(now));
    const auto want = std::make_pair(before.first + 1, before.second + 1);
    EXPECT_EQ(total("a", 10), want) << "the store has it, the table does not know";
    ASSERT_TRUE(tick());
    EXPECT_EQ(total("a", 10), want);
    reopen();
    EXPECT_EQ(total("a", 10), want);
  }
}

TEST_F(TickerTest, NeverReusesTheNumberOfATickWithoutARow) {
  flush();  // without samples, so there is no row
  ASSERT_EQ(store_.batches.size(), 1U);
  const TickNo last = store_.batches[0].tick;
  reopen();
  send("a 1");
  ASSERT_TRUE(tick());
  EXPECT_GT(store_.batches.back().tick, last);
  reopen();
  EXPECT_EQ(total("a", 10), std::make_pair(1.0, 1.0));
}

TEST_F(TickerTest, PublishesTheOpenAndTheDurableTick) {
  const auto gauge = [&](std::string_view name) { return registry_.gauge(name, "").value(); };
  const int64_t first = gauge("statmill.open_tick");
  EXPECT_EQ(gauge("statmill.durable_tick"), first - 1);
  send("a 1");
  memory_.fail_next_write(Error{ErrorCode::kIo, "no space"});
  EXPECT_FALSE(tick());
  EXPECT_EQ(gauge("statmill.open_tick"), first + 1);
  EXPECT_EQ(gauge("statmill.durable_tick"), first - 1);
  ASSERT_TRUE(tick());
  EXPECT_EQ(gauge("statmill.durable_tick"), first + 1) << "the retried tick and an empty one";
  reopen();
  EXPECT_LE(gauge("statmill.durable_tick"), first + 1);
  EXPECT_GE(gauge("statmill.durable_tick"), first);
}

TEST_F(TickerTest, RetriesARefusedFlush) {
  send("a 1");
  memory_.fail_next_write(Error{ErrorCode::kIo, "no space"});
  EXPECT_FALSE(ticker_->flush_all({from_unix_seconds(now_), steady()}));
  EXPECT_EQ(total("a", 10), std::make_pair(1.0, 1.0));
  ASSERT_TRUE(tick());
  EXPECT_EQ(table_->ram_bytes(), 0U);
  reopen();
  EXPECT_EQ(total("a", 10), std::make_pair(1.0, 1.0));
}

TEST_F(TickerTest, AQueryBetweenTheWriteAndTheEndOfAFlushCountsOnce) {
  send("a 1");
  int asked = 0;
  store_.after_write = [&] {
    EXPECT_EQ(total("a", 10), std::make_pair(1.0, 1.0));
    ++asked;
  };
  flush();
  store_.after_write = nullptr;
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(total("a", 10), std::make_pair(1.0, 1.0));
}

TEST_F(TickerTest, ReplaysOnlyRowsAboveTheFlushedTick) {
  send("a 1");
  ASSERT_TRUE(tick());
  flush();
  send("a 2");
  ASSERT_TRUE(tick());
  reopen();
  EXPECT_EQ(total("a", 10), std::make_pair(3.0, 2.0));
  EXPECT_EQ(copy_of(*table_, "a")->unflushed.size(), 1U);
}

TEST_F(TickerTest, FlushesEachShardOncePerIntervalAndAtMostTwoPerTick) {
  std::map<ShardNo, int> flushes;
  for (int i = 0; i < 10 * 60; ++i) {
    ++now_;
    const size_t before = store_.batches.size();
    ASSERT_TRUE(tick());
    size_t in_this_tick = 0;
    for (size_t b = before; b < store_.batches.size(); ++b) {
      for (const StoreBatch::Flushed& f : store_.batches[b].flushed) {
        ++flushes[f.shard];
        ++in_this_tick;
      }
    }
    EXPECT_LE(in_this_tick, 2U);
  }
  EXPECT_EQ(flushes.size(), 256U);
  for (const auto& [shard, count] : flushes) EXPECT_EQ(count, 1) << int{shard};
}

TEST_F(TickerTest, TrimsTheJournalOnceEveryShardIsFlushed) {
  send("a 1");
  ASSERT_TRUE(tick());
  pass(11);
  ASSERT_TRUE(store_.batches.back().journal_trim.has_value() || store_.batches.size() > 1);
  std::optional<TickNo> trim;
  for (const StoreBatch& b : store_.batches) {
    if (b.journal_trim) trim = b.journal_trim->end;
  }
  ASSERT_TRUE(trim);
  EXPECT_GT(*trim, 1U) << "the row of the first tick is no longer needed";
}

TEST_F(TickerTest, RollsUpAClosedChunkAndLateGaugesReachEveryTier) {
  for (int i = 0; i < 60; ++i) send("g " + std::to_string(kStart + 10 * i) + " " + std::to_string(i));
  ASSERT_TRUE(tick());
  EXPECT_LT(ticker_->rollup_position().chunk, tiers_.finest().chunk_of_time(kStart));
  pass(6 * 60 + 30);
  EXPECT_EQ(ticker_->rollup_position().chunk, tiers_.finest().chunk_of_time(kStart) + 1);
  EXPECT_EQ(total("g", 3600), std::make_pair(1770.0, 60.0));
  send("g " + std::to_string(kStart + 5) + " 0.5");
  for (const int64_t step : {10, 300, 3600})
    EXPECT_EQ(total("g", step), std::make_pair(1770.5, 61.0)) << step;
  flush();
  for (const int64_t step : {10, 300, 3600})
    EXPECT_EQ(total("g", step), std::make_pair(1770.5, 61.0)) << step;
}

TEST_F(TickerTest, LateEventsChangeTheCoarseBucketsOfTheirSlot) {
  for (int i = 0; i < 60; ++i) send("*e " + std::to_string(kStart + 10 * i) + " 5");
  pass(6 * 60 + 30);
  send("*e " + std::to_string(kStart + 1) + " 95");
  const auto max_at = [&](int64_t step) {
    const QueryEngine engine(*table_, store_, {});
    const auto answer = engine.run({{"e"}, kStart, kStart + step, step, {}}, from_unix_seconds(now_));
    return bucket_of(answer->series.at(0), 0).max();
  };
  for (const int64_t step : {10, 300, 3600}) EXPECT_EQ(max_at(step), 10) << step << ", from memory";
  flush();
  for (const int64_t step : {10, 300, 3600}) EXPECT_EQ(max_at(step), 10) << step << ", from the store";
  EXPECT_EQ(total("e", 3600).first, 395);
}

// And later flushes do not fail.
TEST_F(TickerTest, ALateEventOfADamagedChunkKeepsTheCoarseBuckets) {
  for (int i = 0; i < 60; ++i) send("*e " + std::to_string(kStart + 10 * i) + " 5");
  pass(6 * 60 + 30);
  send("*e " + std::to_string(kStart + 1) + " 95");
  store_.damaged = true;
  flush();
  store_.damaged = false;
  EXPECT_EQ(total("e", 3600).first, 395);
  send("*e " + std::to_string(kStart + 2) + " 5");
  store_.damaged = true;
  ASSERT_TRUE(ticker_->flush_all({from_unix_seconds(now_), steady()}));
}

TEST_F(TickerTest, AQueryForTotalsReturnsTheSameTotals) {
  for (int i = 0; i < 150; ++i) {
    const std::string at = " " + std::to_string(kStart + 10 * (i / 3));
    send("g" + at + " " + std::to_string(i % 7) + ".25\nd" + at + " 1e-30" + std::to_string(i % 9) + "\n*e" +
         at + " 2");
  }
  pass(7 * 60);
  flush();
  send("g " + std::to_string(kStart + 5) + " 0.5\n*e " + std::to_string(kStart + 5) + " 1");
  const QueryEngine engine(*table_, store_, {});
  for (const int64_t step : {10, 60, 300, 3600}) {
    QueryRequest request{{"g", "d", "e"}, kStart, kStart + 8 * 3600, step, {}};
    const auto all = engine.run(request, from_unix_seconds(now_));
    request.parts = {};
    const auto totals = engine.run(request, from_unix_seconds(now_));
    ASSERT_EQ(all->series.size(), 3U);
    for (size_t s = 0; s < all->series.size(); ++s) {
      for (size_t i = 0; i < all->series[s].points.size(); ++i) {
        for (const Stat stat : {Stat::kCount, Stat::kSum, Stat::kAvg, Stat::kRate}) {
          ASSERT_EQ(stat_value(stat, *totals, totals->series[s], i),
                    stat_value(stat, *all, all->series[s], i))
              << all->series[s].name << " " << stat_name(stat) << " " << step;
        }
      }
    }
  }
}

// The finest tier has dropped the chunk, so only the coarse buckets have its data.
TEST_F(TickerTest, ALateEventOfADroppedChunkIsAddedToTheCoarseBuckets) {
  for (int i = 0; i < 60; ++i) send("*e " + std::to_string(kStart + 10 * i) + " 5");
  pass(6 * 60 + 30);
  ASSERT_TRUE(store_.expire(0, tiers_.finest().chunk_of_time(kStart) + 1));
  send("*e " + std::to_string(kStart + 3000) + " 95");
  for (const int64_t step : {300, 3600}) EXPECT_EQ(total("e", step).first, 395) << step << ", from memory";
  flush();
  for (const int64_t step : {300, 3600}) EXPECT_EQ(total("e", step).first, 395) << step << ", from the store";
}

TEST_F(TickerTest, RefusesAJournalRowOfAnUnknownSeries) {
  StoreBatch batch;
  std::string entry;
  EntryReference reference;
  encode_entry(entry, reference, {1, Bucket::of(Number::decimal(1, 0))});
  const JournalPiece piece{99, 1, entry};
  batch.journal.push_back({7, encode_journal_row({7, 0}, {&piece, 1})});
  ASSERT_TRUE(store_.write(batch));
  Table table(tiers_, {});
  const auto recovery = recover(store_, table);
  ASSERT_FALSE(recovery);
  EXPECT_EQ(recovery.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace statmill
