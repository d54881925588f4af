// Recovery from a journal with missing or damaged rows: it fails; with Damage::kSalvage it skips exactly the
// entries that cannot be decoded, and counts them.
#include "server/tick/recovery.h"

#include <gtest/gtest.h>

#include <set>

#include "base/hash.h"
#include "proto/istatd/parser.h"
#include "server/query/engine.h"
#include "tests/support/answers.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/secrets.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

// Omits journal rows, or flips a bit in them.
class HolesStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Status load(const LoadVisitor& visitor) override {
    LoadVisitor mine = visitor;
    mine.series = [&](SeriesRow row) {
      return lost_series.contains(row.name) ? Status::ok() : visitor.series(std::move(row));
    };
    mine.journal = [&](TickNo tick, std::string_view row) {
      if (lost.contains(tick)) return Status::ok();
      std::string bytes(row);
      if (damaged.contains(tick)) bytes[bytes.size() / 2] ^= 1;
      return visitor.journal(tick, bytes);
    };
    return store_.load(mine);
  }

  std::set<TickNo> lost;
  std::set<TickNo> damaged;
  std::set<std::string> lost_series;
};

class RecoveryTest : public testing::Test {
 protected:
  RecoveryTest() { start_ticker({}); }

  void start_ticker(const TickStart& start) {
    ticker_ = std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log_},
                                       TickOptions{}, start, SteadyTime{});
  }
  Result<Recovery> restart(Damage damage = Damage::kRefuse, const std::optional<HashSecret>& secret = {}) {
    table_ = std::make_unique<Table>(tiers_, TableLimits{});
    auto recovery = recover(store_, *table_, damage, secret);
    if (recovery) start_ticker(recovery->start);
    return recovery;
  }
  TickTime now() const { return {from_unix_seconds(now_s_), SteadyTime{}}; }
  // Makes one tick with a sample of each series. All values are powers of two, so a sum identifies its
  // samples.
  TickNo tick(const std::vector<std::string>& names) {
    now_s_ += 10;
    for (const std::string& name : names) {
      const std::string line = name + " " + std::to_string(now_s_) + " " + std::to_string(value_);
      Batch batch;
      parse_istatd_lines(line, batch);
      EXPECT_EQ(table_->apply(batch, now().wall), 1U);
    }
    value_ *= 2;
    EXPECT_TRUE(ticker_->tick(now()));
    return *memory_.snapshot()->last_tick();
  }
  double sum(const std::string& name) {
    const QueryEngine engine(*table_, store_, {});
    const auto answer = engine.run({{name}, kStart, now_s_ + 10, 3600, {}}, now().wall);
    EXPECT_TRUE(answer);
    double sum = 0;
    for (const SeriesAnswer& series : answer->series) {
      for (const Bucket& b : buckets_of(series)) sum += b.sum();
    }
    return sum;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,1h:1y");
  MemoryStore memory_{tiers_};
  HolesStore store_{memory_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  int64_t now_s_ = kStart;
  int64_t value_ = 1;
  std::unique_ptr<Table> table_ = std::make_unique<Table>(tiers_, TableLimits{});
  std::unique_ptr<Ticker> ticker_;
};

TEST_F(RecoveryTest, AnIntactJournalLosesNothing) {
  for (int i = 0; i < 5; ++i) tick({"a", "b"});
  const auto recovery = restart(Damage::kSalvage);
  ASSERT_TRUE(recovery);
  EXPECT_FALSE(recovery->losses.any());
  EXPECT_EQ(recovery->journal_entries, 10U);
  EXPECT_EQ(sum("a"), 31);
}

// Each start offers another secret. The shards of names, on which the journal depends, stay the same.
TEST_F(RecoveryTest, ANewStoreGetsASecretOnceAndKeepsIt) {
  ASSERT_TRUE(restart(Damage::kRefuse, secret_of(1)));
  ASSERT_TRUE(restart(Damage::kRefuse, secret_of(2)));  // there was no tick before
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back("host" + std::to_string(i));
  tick(names);
  EXPECT_EQ(*memory_.snapshot()->hash_secret(), secret_of(2));
  const KeyedHash hash(secret_of(2));
  for (uint64_t seed = 3; seed < 6; ++seed) {
    const auto recovery = restart(Damage::kRefuse, secret_of(seed));
    ASSERT_TRUE(recovery);
    EXPECT_EQ(recovery->start.new_secret, std::nullopt);
    for (const std::string& name : names) EXPECT_EQ(table_->shard_of_name(name), shard_of(hash(name)));
    if (seed == 4) {
      EXPECT_TRUE(ticker_->flush_all(now()));
    } else {
      tick(names);
    }
  }
  for (const std::string& name : names) EXPECT_EQ(sum(name), 7) << name;
}

TEST_F(RecoveryTest, AStoreWithoutASecretStaysWithout) {
  tick({"a", "b"});
  const auto recovery = restart(Damage::kRefuse, secret_of(1));
  ASSERT_TRUE(recovery);
  EXPECT_EQ(table_->shard_of_name("a"), shard_of(hash_name("a")));
  tick({"a", "b"});
  EXPECT_EQ(*memory_.snapshot()->hash_secret(), std::nullopt);
  ASSERT_TRUE(restart());
  EXPECT_EQ(sum("a"), 3);
}

TEST_F(RecoveryTest, RefusesAMissingRow) {
  tick({"a"});
  const TickNo lost = tick({"a"});
  tick({"a"});
  store_.lost = {lost};
  const auto recovery = restart();
  ASSERT_FALSE(recovery);
  EXPECT_EQ(recovery.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(recovery.error().message.find("row of tick " + std::to_string(lost)), std::string::npos)
      << recovery.error().message;
}

TEST_F(RecoveryTest, RefusesAMissingFirstRowAndOneBetweenTwoRestarts) {
  const TickNo first = tick({"a"});
  tick({"a"});
  ASSERT_TRUE(restart());
  const TickNo third = tick({"a"});
  ASSERT_TRUE(restart());
  tick({"a"});
  ASSERT_TRUE(restart());
  EXPECT_EQ(sum("a"), 15);
  store_.lost = {first};
  EXPECT_FALSE(restart());
  store_.lost = {third};
  EXPECT_FALSE(restart());
}

TEST_F(RecoveryTest, ATickWithoutARowIsNotAGap) {
  tick({"a"});
  for (int i = 0; i < 3; ++i) tick({});
  tick({"a"});
  ASSERT_TRUE(ticker_->flush_all(now()));
  tick({});
  tick({"a"});
  tick({"b"});
  const auto recovery = restart();
  ASSERT_TRUE(recovery) << recovery.error().message;
  EXPECT_EQ(recovery->journal_rows, 2U);
}

TEST_F(RecoveryTest, SalvageKeepsRowsBeforeTheGapAndCountsTheRest) {
  tick({"a", "b"});
  const TickNo lost = tick({"a"});
  tick({"a", "b"});
  tick({"b"});
  store_.lost = {lost};
  const auto recovery = restart(Damage::kSalvage);
  ASSERT_TRUE(recovery);
  EXPECT_EQ(recovery->losses.gaps, 1U);
  EXPECT_EQ(recovery->losses.entries, 3U);
  EXPECT_EQ(sum("a"), 1);
  EXPECT_EQ(sum("b"), 1);
}

TEST_F(RecoveryTest, SalvageSkipsADamagedRowLikeAMissingOne) {
  tick({"a", "b"});
  const TickNo damaged = tick({"a"});
  tick({"b"});
  store_.damaged = {damaged};
  ASSERT_FALSE(restart());
  const auto recovery = restart(Damage::kSalvage);
  ASSERT_TRUE(recovery);
  EXPECT_EQ(recovery->losses.rows_damaged, 1U);
  EXPECT_EQ(recovery->losses.gaps, 0U);
  EXPECT_EQ(recovery->losses.entries, 1U);
  EXPECT_EQ(sum("b"), 1);
}

TEST_F(RecoveryTest, TheNextStartAfterSalvageAndAFlushSucceeds) {
  tick({"a"});
  const TickNo lost = tick({"a"});
  tick({"a"});
  store_.lost = {lost};
  ASSERT_TRUE(restart(Damage::kSalvage));
  ASSERT_TRUE(ticker_->flush_all(now()));
  tick({"a"});
  const auto recovery = restart();
  ASSERT_TRUE(recovery) << recovery.error().message;
  EXPECT_EQ(sum("a"), 1 + 8);
}

// A shard that was flushed after the gap has its older entries in fragments, and later entries do not depend
// on the missing row.
TEST_F(RecoveryTest, SalvageLosesNothingOfShardsFlushedSince) {
  const TickNo lost = tick({"a"});
  tick({"a"});
  ASSERT_TRUE(ticker_->flush_all(now()));
  StoreBatch unflush;  // another shard is not flushed, so the rows are still loaded
  unflush.flushed.push_back({shard_of(hash_name("x")), 0, {}});
  ASSERT_NE(shard_of(hash_name("x")), shard_of(hash_name("a")));
  ASSERT_TRUE(memory_.write(unflush));
  tick({"a"});
  store_.lost = {lost};
  ASSERT_FALSE(restart());
  const auto recovery = restart(Damage::kSalvage);
  ASSERT_TRUE(recovery);
  EXPECT_EQ(recovery->losses.gaps, 1U);
  EXPECT_EQ(recovery->losses.entries, 0U);
  EXPECT_EQ(sum("a"), 7);
}

TEST_F(RecoveryTest, SalvageSkipsSeriesThatAreMissingInTheCatalog) {
  tick({"a", "b"});
  tick({"a", "b"});
  store_.lost_series = {"a"};
  ASSERT_FALSE(restart());
  const auto recovery = restart(Damage::kSalvage);
  ASSERT_TRUE(recovery);
  EXPECT_EQ(recovery->losses.entries_of_unknown_series, 2U);
  EXPECT_EQ(sum("b"), 3);
}

}  // namespace
}  // namespace statmill
