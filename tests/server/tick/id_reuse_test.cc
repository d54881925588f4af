// The id of a deleted series becomes another's, but only once no journal row, query, chunk or row of the
// catalog can mean the deleted one.
#include "server/tick/id_reuse.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "proto/istatd/parser.h"
#include "server/query/engine.h"
#include "server/query/read/table_pieces.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "storage/rocks/rocks_store.h"
#include "tests/support/answers.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/temp_directory.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

// A server without sockets and threads over a store.
class Life {
 public:
  Life(Store& store, int64_t& now, size_t ids_min)
      : store_(store), now_(now), id_reuse_(table_, store, ids_min) {
    const auto recovery = recover(store_, table_);
    EXPECT_TRUE(recovery);
    ticker_ = std::make_unique<Ticker>(
        Ticker::Services{table_, store_, registry_, health_, log_, nullptr, nullptr, &id_reuse_},
        TickOptions{}, recovery->start, time().steady);
    ticker_->begin(time());
  }

  TickTime time() const { return {from_unix_seconds(now_), SteadyTime(std::chrono::seconds(now_))}; }
  void send(const std::string& lines) {
    Batch batch;
    parse_istatd_lines(lines, batch);
    ASSERT_EQ(table_.apply(batch, time().wall), batch.received);
  }
  void tick() {
    ++now_;
    ASSERT_TRUE(ticker_->tick(time()));
  }
  void flush() {
    ++now_;
    ASSERT_TRUE(ticker_->flush_all(time()));
  }
  void remove(const std::string& name) {
    ++now_;
    const std::string_view names[] = {name};
    ASSERT_TRUE(ticker_->change({.deletes = names, .slots = {}, .renames = {}}, time()));
  }
  void reclaim() {
    while (*store_.reclaim(cancelled_)) {
    }
  }
  void step() {
    Result<bool> more = true;
    while (more && *more) more = id_reuse_.step(cancelled_);
    ASSERT_TRUE(more);
  }
  SeriesId id_of(const std::string& name) const { return table_.summary(name)->id; }
  // Sends a sample of a new series, and returns its id.
  SeriesId id_of_new(const std::string& name) {
    send(name + " 1\n");
    return id_of(name);
  }
  double total_of_series(const std::string& name) const {
    const QueryEngine engine(table_, store_, {});
    const auto answer = engine.run({{name}, now_ - kDay, now_ + 60, 10, {}}, time().wall);
    return answer && !answer->series.empty() ? total_of(Stat::kSum, *answer, answer->series.at(0)) : 0;
  }

  Table& table() { return table_; }

 private:
  Store& store_;
  int64_t& now_;
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  Table table_{store_.tiers(), TableLimits{}};
  IdReuse id_reuse_;
  std::unique_ptr<Ticker> ticker_;
  std::atomic<bool> cancelled_{false};
};

class IdReuseTest : public testing::Test {
 protected:
  void start(size_t ids_min = 1) {
    life_.reset();
    store_.restart();
    life_ = std::make_unique<Life>(store_, now_, ids_min);
  }
  IdReuseTest() { start(); }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:30d");
  MemoryStore store_{tiers_};
  int64_t now_ = kStart;
  std::unique_ptr<Life> life_;
};

TEST_F(IdReuseTest, AnIdIsFreeAfterTheFlushesOfAllShards) {
  life_->send("a 1\nb 1\n");  // the chunks are RAM's only
  const SeriesId id = life_->id_of("a");
  life_->tick();
  life_->remove("a");
  life_->tick();
  life_->step();
  EXPECT_EQ(life_->id_of_new("c"), 2U) << "the journal has entries of a";
  life_->flush();
  life_->flush();
  life_->reclaim();
  life_->step();
  EXPECT_EQ(life_->id_of_new("d"), id);
  EXPECT_EQ(life_->id_of_new("e"), 3U);
  EXPECT_EQ(life_->table().ids_end(), 4U);
}

TEST_F(IdReuseTest, AnIdWaitsForTheChunksOfItsSeries) {
  life_->send("a 1\nb 1\n");
  const SeriesId id = life_->id_of("a");
  life_->flush();
  life_->remove("a");
  life_->flush();
  life_->flush();
  life_->step();
  EXPECT_EQ(life_->id_of_new("c"), 2U);
  life_->reclaim();
  life_->remove("b");
  life_->flush();
  life_->flush();
  life_->step();  // of both
  EXPECT_EQ(life_->id_of_new("d"), id);
}

TEST_F(IdReuseTest, AnIdWaitsForQueriesFromBefore) {
  life_->send("a 1\n");
  life_->flush();
  const SeriesRef a{"a", life_->id_of("a")};
  TablePieces pieces(life_->table(), store_);
  auto view = pieces.view({&a, 1}, false);
  ASSERT_TRUE(view);
  ASSERT_TRUE((*view)->is_valid(0));
  life_->remove("a");
  life_->flush();
  life_->flush();
  life_->reclaim();
  life_->step();
  EXPECT_EQ(life_->id_of_new("b"), 1U);
  life_->tick();
  EXPECT_FALSE((*view)->is_valid(0));
  view->reset();
  life_->step();
  EXPECT_EQ(life_->id_of_new("c"), 0U);
}

TEST_F(IdReuseTest, AStartFindsDeletedSeriesAgain) {
  life_->send("a 1\nb 1\n");
  const SeriesId id = life_->id_of("a");
  life_->tick();
  life_->remove("a");
  life_->tick();
  start();
  life_->send("b 1\n");
  life_->tick();
  life_->step();
  EXPECT_EQ(life_->id_of_new("c"), 2U);
  life_->flush();
  life_->flush();
  life_->reclaim();
  life_->step();
  EXPECT_EQ(life_->id_of_new("d"), id);
  life_->tick();
  start();
  EXPECT_EQ(life_->id_of("d"), id);
  EXPECT_EQ(life_->total_of_series("d"), 1);
  EXPECT_EQ(life_->total_of_series("b"), 2);
}

TEST_F(IdReuseTest, AStartKnowsWhichDeletedSeriesTheJournalHas) {
  life_->send("a 1\nb 1\n");
  const SeriesId id = life_->id_of("a");
  life_->flush();
  life_->remove("a");
  life_->flush();
  life_->reclaim();
  start();
  life_->step();
  EXPECT_EQ(life_->id_of_new("c"), id) << "no flush is needed, as the journal has no entry of a";
}

// A store whose search for used ids fails.
class FailingStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Result<std::optional<TierChunk>> remove_used(std::vector<SeriesId>& ids, TierChunk from,
                                               const std::atomic<bool>& cancelled) override {
    ++searches;
    if (error) return *error;
    return store_.remove_used(ids, from, cancelled);
  }
  std::optional<Error> error;
  int searches = 0;
};

TEST_F(IdReuseTest, AFailedSearchEndsUntilThereAreMoreIds) {
  FailingStore store(store_);
  IdReuse reuse(life_->table(), store, 2);
  const std::atomic<bool> cancelled{false};
  const auto reused = [this](int n) {
    std::set<SeriesId> ids;
    for (int i = 0; i < 4; ++i)
      ids.insert(life_->id_of_new("new" + std::to_string(n) + "." + std::to_string(i)));
    return ids;
  };
  life_->send("a 1\nb 1\nc 1\nd 1\n");
  for (const std::string name : {"a", "b", "c", "d"}) life_->remove(name);
  reuse.retire_without_journal(std::vector<SeriesId>{1, 0});
  store.error = Error{ErrorCode::kUnavailable, "recovering"};
  EXPECT_FALSE(reuse.step(cancelled));
  store.error = Error{ErrorCode::kCorrupt, "a bad block"};
  EXPECT_FALSE(reuse.step(cancelled)) << "after kUnavailable it goes on";
  EXPECT_EQ(store.searches, 2);
  store.error.reset();
  EXPECT_FALSE(*reuse.step(cancelled));
  EXPECT_EQ(store.searches, 2) << "it does not repeat a search that fails";
  EXPECT_EQ(reused(1), (std::set<SeriesId>{4, 5, 6, 7}));
  reuse.retire_without_journal(std::vector<SeriesId>{3, 2});
  EXPECT_FALSE(*reuse.step(cancelled));
  EXPECT_EQ(reused(2), (std::set<SeriesId>{0, 1, 2, 3}));
}

TEST_F(IdReuseTest, AFewIdsAreNotLookedFor) {
  start(3);
  life_->send("a 1\nb 1\nc 1\nd 1\n");
  for (const std::string name : {"a", "b"}) life_->remove(name);
  life_->flush();
  life_->flush();
  life_->reclaim();
  life_->step();
  EXPECT_EQ(life_->id_of_new("e"), 4U);
  life_->remove("c");
  life_->flush();
  life_->flush();
  life_->step();
  EXPECT_LT(life_->id_of_new("f"), 3U);
}

// Series come and go at random, over a real store that is opened again and again.
TEST(IdReuse, NoSeriesHasSamplesOfAnother) {
  TempDirectory directory;
  const Tiers tiers = *Tiers::parse("10s:10d,5m:30d");
  RocksOptions options;
  options.path = directory.path() / "data";
  options.sync = false;
  int64_t now = kStart;
  std::mt19937 random(1);
  std::map<std::string, double> totals;
  SeriesId ids_end = 0;
  int made = 0;
  for (int start = 0; start < 4; ++start) {
    auto store = RocksStore::open(options, tiers);
    ASSERT_TRUE(store);
    Life life(**store, now, 4);
    for (const auto& [name, total] : totals) ASSERT_EQ(life.total_of_series(name), total) << name;
    for (int round = 0; round < 30; ++round) {
      for (int i = 0; i < 4; ++i) {
        const std::string name = "s" + std::to_string(made++);
        totals[name] = 0;
      }
      for (auto& [name, total] : totals) {
        if (random() % 2 == 0 && total > 0) continue;
        const auto value = static_cast<int>(random() % 1000 + 1);
        life.send(name + " " + std::to_string(value) + "\n");
        total += value;
      }
      random() % 3 == 0 ? life.flush() : life.tick();
      while (totals.size() > 12) {
        const auto gone = std::next(totals.begin(), static_cast<int>(random() % totals.size()));
        life.remove(gone->first);
        totals.erase(gone);
      }
      if (random() % 4 == 0) life.reclaim();
      life.step();
    }
    life.tick();
    for (const auto& [name, total] : totals) ASSERT_EQ(life.total_of_series(name), total) << name;
    ids_end = life.table().ids_end();
  }
  EXPECT_LT(ids_end, 400U) << "of " << made << " series";
}

}  // namespace
}  // namespace statmill
