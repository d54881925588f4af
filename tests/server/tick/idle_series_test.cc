// Series without samples become idle: RAM keeps little of them, and nothing else changes.
#include <gtest/gtest.h>

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
namespace {

class IdleSeriesTest : public testing::Test {
 protected:
  IdleSeriesTest() { start(); }

  void start() {
    ticker_.reset();
    table_ = std::make_unique<Table>(retention_, limits_);
    const auto recovery = recover(store_, *table_);
    ASSERT_TRUE(recovery) << recovery.error().message;
    entries_ = recovery->journal_entries;
    ticker_ = std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log_},
                                       TickOptions{}, recovery->start, time().steady);
    ticker_->begin(time());
  }
  TickTime time() const { return {from_unix_seconds(now_), SteadyTime(std::chrono::seconds(now_))}; }
  // Returns how many samples were accepted.
  uint64_t send(const std::string& lines) {
    batch_ = std::make_unique<Batch>();
    parse_istatd_lines(lines, *batch_);
    return table_->apply(*batch_, time().wall);
  }
  void tick() { ASSERT_TRUE(ticker_->tick(time())); }
  void flush() {
    ASSERT_TRUE(ticker_->flush_all(time()));
    ticker_->update_index();
  }
  // Ten minutes pass, with a sample of `live`, then all shards are flushed.
  void wait_and_flush() {
    now_ += 600;
    ASSERT_EQ(send("live 1\n"), 1U);
    flush();
  }
  void make_idle() {
    for (int i = 0; i < 4; ++i) wait_and_flush();
  }
  double sum_of(const std::string& name) {
    const QueryEngine engine(*table_, store_, {});
    const auto answer = engine.run({{name}, kStart, now_ + 60, 300, {}}, time().wall);
    return answer && !answer->series.empty() ? total_of(Stat::kSum, *answer, answer->series.at(0)) : 0;
  }
  uint64_t refused(Refusal why) const { return batch_->refused[static_cast<size_t>(why)]; }

  const Retention retention_ = *Tiers::parse("10s:10d,5m:1y");
  TableLimits limits_;
  MemoryStore store_{retention_.tiers()};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  int64_t now_ = kStart;
  uint64_t entries_ = 0;  // of the journal, replayed by the last start
  std::unique_ptr<Batch> batch_;
  std::unique_ptr<Table> table_;
  std::unique_ptr<Ticker> ticker_;
};

TEST_F(IdleSeriesTest, TheyTakeLittleRamAndAnswerAsBefore) {
  send("a.b;host=x 1\na.c;host=x 2\n%d 3\nlive 1\n");
  flush();
  const size_t bytes = table_->name_bytes();
  EXPECT_EQ(table_->idle_count(), 0U);
  wait_and_flush();
  EXPECT_EQ(table_->idle_count(), 0U) << "not after one interval";
  make_idle();
  EXPECT_EQ(table_->idle_count(), 3U);
  EXPECT_EQ(table_->series_count(), 4U);
  EXPECT_LE(table_->name_bytes() + 3 * 100, bytes);
  EXPECT_EQ(sum_of("a.c;host=x"), 2);
  EXPECT_EQ(sum_of("d"), 3);
  EXPECT_EQ(table_->summary("d")->kind, Kind::kDistribution);
  EXPECT_FALSE(table_->summary("a.d;host=x"));
  EXPECT_EQ(table_->active_count(), 4U) << "idle series are active for a day";
}

TEST_F(IdleSeriesTest, ASampleWakesOneUp) {
  send("a.b;host=x 1\nold 1\nlive 1\n");
  make_idle();
  ASSERT_EQ(table_->idle_count(), 2U);
  const SeriesId id = table_->summary("a.b;host=x")->id;
  EXPECT_EQ(send("a.b;host=x 10\n"), 1U);
  EXPECT_EQ(table_->idle_count(), 1U);
  EXPECT_EQ(table_->series_count(), 3U);
  EXPECT_EQ(table_->summary("a.b;host=x")->id, id);
  EXPECT_EQ(sum_of("a.b;host=x"), 11);
  tick();
  start();
  EXPECT_EQ(sum_of("a.b;host=x"), 11);
  make_idle();
  EXPECT_EQ(table_->idle_count(), 2U);
  EXPECT_EQ(sum_of("a.b;host=x"), 11);
  EXPECT_EQ(send("a.b;host=x " + std::to_string(kStart) + " 100\n"), 1U) << "a late one";
  flush();
  EXPECT_EQ(sum_of("a.b;host=x"), 111);
}

TEST_F(IdleSeriesTest, ASampleOfAnotherKindIsRefused) {
  limits_.other_kind = OtherKind::kRefuse;
  start();
  send("a 1\nlive 1\n");
  make_idle();
  Batch batch;
  parse_istatd_lines("*a 1\n", batch);
  batch.other_kind = OtherKind::kRefuse;
  EXPECT_EQ(table_->apply(batch, time().wall), 0U);
  EXPECT_EQ(batch.refused[static_cast<size_t>(Refusal::kKindMismatch)], 1U);
  EXPECT_EQ(table_->idle_count(), 1U) << "a refused sample wakes nothing";
}

TEST_F(IdleSeriesTest, ASampleThatComesDuringTheFlushKeepsItAwake) {
  send("a 1\nb 1\n");
  tick();
  for (int shard = 0; shard < kShardCount; ++shard) {
    table_->begin_flush(static_cast<ShardNo>(shard), 100, {.idle_before = now_});
    table_->end_flush(static_cast<ShardNo>(shard));
  }
  table_->index_names(10);
  for (int shard = 0; shard < kShardCount; ++shard) {
    const auto no = static_cast<ShardNo>(shard);
    table_->begin_flush(no, 101, {.idle_before = now_});
    if (no == table_->shard_of_name("a")) {
      EXPECT_EQ(send("a 2\n"), 1U);
    }
    table_->end_flush(no);
  }
  EXPECT_EQ(table_->idle_count(), 1U);
  EXPECT_EQ(table_->pieces("a", false)->deltas[0].buckets.size() +
                table_->pieces("a", false)->deltas[1].buckets.size(),
            1U);
}

TEST_F(IdleSeriesTest, TheyAreDeletedRenamedAndErased) {
  send("gone 1\nmoved 2\nerased " + std::to_string(now_) + " 4\nlive 1\n");
  now_ += 7200;
  send("erased 8\n");
  make_idle();
  ASSERT_EQ(table_->idle_count(), 3U);
  const SeriesId id = table_->summary("moved")->id;
  constexpr std::string_view kGone[] = {"gone"};
  const NewName move{"moved", "new"};
  auto changed = ticker_->change({.deletes = kGone, .slots = {}, .renames = {&move, 1}}, time());
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->count(), 2U);
  EXPECT_EQ(table_->summary("new")->id, id);
  constexpr std::string_view kErased[] = {"erased"};
  const Slot begin = kStart / 3600 * 360;
  changed =
      ticker_->change({.deletes = kErased, .slots = SlotRange{begin, begin + 360}, .renames = {}}, time());
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->erased, 1U);
  const auto check = [&] {
    EXPECT_FALSE(table_->summary("gone"));
    EXPECT_FALSE(table_->summary("moved"));
    EXPECT_EQ(sum_of("new"), 2);
    EXPECT_EQ(sum_of("erased"), 8);
  };
  check();
  make_idle();
  EXPECT_EQ(table_->idle_count(), 2U);
  check();
  const NewName taken{"live", "new"};
  EXPECT_EQ(ticker_->change({.deletes = {}, .slots = {}, .renames = {&taken, 1}}, time())->count(), 0U);
  start();
  check();
}

TEST_F(IdleSeriesTest, AChangeThatLeavesASeriesAsItIsDoesNotWakeIt) {
  send("a 1\nlive 1\n");
  make_idle();
  constexpr std::string_view kNames[] = {"a"};
  const Slot later = kStart / 10 + 100;
  const auto erased =
      ticker_->change({.deletes = kNames, .slots = SlotRange{later, later + 360}, .renames = {}}, time());
  ASSERT_TRUE(erased);
  EXPECT_EQ(erased->count(), 0U);
  const std::vector<Slot> kept_from(8, Slot{0});
  const auto expired =
      table_->end_epoch({.deletes = kNames, .slots = {}, .renames = {}, .kept_from = kept_from});
  EXPECT_TRUE(expired.changed.deleted.empty());
  EXPECT_EQ(table_->idle_count(), 1U);
}

TEST_F(IdleSeriesTest, AStartLeavesThemIdle) {
  send("a.b;host=x 1\nb 2\nlive 1\n");
  make_idle();
  send("b 20\n");
  tick();
  start();
  EXPECT_EQ(table_->idle_count(), 1U) << "b has a row in the journal, live was active";
  EXPECT_EQ(entries_, 1U);
  EXPECT_EQ(table_->series_count(), 3U);
  EXPECT_EQ(sum_of("a.b;host=x"), 1);
  EXPECT_EQ(sum_of("b"), 22);
  EXPECT_EQ(table_->summary("a.b;host=x")->last_slot, kStart / 10);
  EXPECT_EQ(send("new 1\n"), 1U);
  EXPECT_EQ(table_->summary("new")->id, 3U);
  size_t names = 0;
  table_->search(*Glob::parse("*"), [&](std::string_view) { return ++names > 0; });
  EXPECT_EQ(names, 4U);
}

TEST_F(IdleSeriesTest, TheyWakeUpAboveTheLimitOfBytesButNotAboveTwice) {
  constexpr int kNames = 2000;
  const auto name = [](int i) { return std::to_string(i) + std::string(200, 'x'); };
  std::string lines;
  for (int i = 0; i < kNames; ++i) lines += name(i) + " 1\n";
  ASSERT_EQ(send(lines), static_cast<uint64_t>(kNames));
  make_idle();
  ASSERT_EQ(table_->idle_count(), static_cast<size_t>(kNames));
  limits_.name_bytes = table_->name_bytes() * 4 / 5;
  flush();
  start();
  ASSERT_EQ(table_->idle_count(), static_cast<size_t>(kNames));
  EXPECT_EQ(send("new 1\n"), 0U);
  EXPECT_EQ(refused(Refusal::kNameLimit), 1U);
  EXPECT_EQ(send(name(0) + " 1\n"), 1U) << "a known series";
  send(lines);
  EXPECT_GT(refused(Refusal::kNameLimit), 100U);
  EXPECT_GT(batch_->received - refused(Refusal::kNameLimit), 100U);
  EXPECT_LE(table_->name_bytes(), 2 * limits_.name_bytes + 1000);
}

}  // namespace
}  // namespace statmill
