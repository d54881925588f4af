// LiveWorld: a table with a store in memory and a ticker, for tests of live streams.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "proto/istatd/parser.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/memory_store.h"

namespace statmill {

// A snapshot that cannot be read.
class UnreadableSnapshot final : public ForwardingSnapshot {
 public:
  using ForwardingSnapshot::ForwardingSnapshot;
  Result<TickNo> flushed_tick(ShardNo) override { return Error{ErrorCode::kIo, "unreadable"}; }
};

// Calls a function when the store has a batch and the table does not know it yet. Snapshots are unreadable
// while `is_unreadable`.
class HookedStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Status write(const StoreBatch& batch) override {
    Status done = store_.write(batch);
    if (after_write) after_write();
    return done;
  }
  std::unique_ptr<StoreSnapshot> snapshot() override {
    ++snapshots;
    if (is_unreadable) return std::make_unique<UnreadableSnapshot>(store_.snapshot());
    return store_.snapshot();
  }

  std::function<void()> after_write;
  int snapshots = 0;
  bool is_unreadable = false;
};

class LiveWorld {
 public:
  static constexpr int64_t kBegin_s = 1'700'000'000;

  LiveWorld() {
    const auto recovery = recover(store, table);
    EXPECT_TRUE(recovery);
    ticker_ = std::make_unique<Ticker>(Ticker::Services{table, store, registry, health_, log_}, TickOptions{},
                                       recovery->start, steady());
    ticker_->begin({wall(), steady()});
  }

  Timestamp wall() const { return from_unix_seconds(now_s); }
  SteadyTime steady() const { return SteadyTime(std::chrono::seconds(now_s)); }
  void send(const std::string& lines) {
    Batch batch;
    parse_istatd_lines(lines, batch);
    EXPECT_EQ(table.apply(batch, wall()), batch.received) << lines;
  }
  void tick() { EXPECT_TRUE(ticker_->tick({wall(), steady()})); }
  void flush() { EXPECT_TRUE(ticker_->flush_all({wall(), steady()})); }
  void change(const SeriesChanges& changes) { EXPECT_TRUE(ticker_->change(changes, {wall(), steady()})); }

  int64_t now_s = kBegin_s;
  Retention retention{*Tiers::parse("10s:10d,5m:1y,1h:6y")};
  MemoryStore memory{retention.tiers()};
  HookedStore store{memory};
  Table table{retention, TableLimits{}};
  Registry registry;

 private:
  Health health_;
  Log log_{LogLevel::kError};
  std::unique_ptr<Ticker> ticker_;
};

}  // namespace statmill
