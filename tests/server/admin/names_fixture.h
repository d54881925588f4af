// A fixture for tests that delete and rename series: a server without sockets and threads over a store in
// memory.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proto/istatd/parser.h"
#include "server/admin/name_changes.h"
#include "server/query/engine.h"
#include "server/query/read/column_cache.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/answers.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/times.h"

namespace statmill {

// A store that runs a hook during a query.
class HookedStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::unique_ptr<StoreSnapshot> snapshot() override {
    if (const auto hook = std::exchange(before_snapshot, {})) hook();
    auto snapshot = store_.snapshot();
    if (const auto hook = std::exchange(after_snapshot, {})) hook();
    return snapshot;
  }

  std::function<void()> before_snapshot;  // each runs once
  std::function<void()> after_snapshot;
};

class NamesFixture : public testing::Test {
 protected:
  NamesFixture() { restart(); }

  void restart() {
    Retention retention(tiers_);
    ASSERT_TRUE(retention.add_rule("short.* 10s:1h,5m:1d,1h:30d"));
    memory_.restart();
    table_ = std::make_unique<Table>(retention, TableLimits{});
    const auto recovery = recover(store_, *table_);
    ASSERT_TRUE(recovery) << recovery.error().message;
    ticker_ = std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log_},
                                       TickOptions{}, recovery->start, now().steady);
    changes_ = std::make_unique<NameChanges>(*table_, [this](const SeriesChanges& changes) {
      ++ticks_;
      if (ticks_ == failing_tick_) memory_.fail_next_write({ErrorCode::kIo, "planted"});
      return ticker_->change(changes, now());
    });
  }
  TickTime now() const { return {from_unix_seconds(now_), SteadyTime(std::chrono::seconds(now_))}; }
  void tick() { ASSERT_TRUE(ticker_->tick(now())); }
  void flush() { ASSERT_TRUE(ticker_->flush_all(now())); }
  // Flushes and lets time pass, with a live sample that moves the newest time and enough ticks for the
  // rollup.
  void pass(int64_t seconds) {
    flush();
    now_ += seconds;
    send("live 1");
    ticker_->confirm_clock(now());
    const std::string_view live = "live";
    ASSERT_TRUE(ticker_->change({.deletes = {&live, 1}, .slots = {}, .renames = {}}, now()));
    for (int i = 0; i < 20; ++i) tick();
  }
  void send(const std::string& lines) {
    Batch batch;
    parse_istatd_lines(lines, batch);
    ASSERT_EQ(table_->apply(batch, now().wall), batch.received) << lines;
  }
  void send_at(const std::string& name, int64_t time_s, int64_t value) {
    send(name + " " + std::to_string(time_s) + " " + std::to_string(value));
  }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    const QueryEngine engine(*table_, store_, {});
    for (const SeriesInfo& info : engine.list(*Glob::parse("*"), 1000).series) out.push_back(info.name);
    return out;
  }
  Result<QueryAnswer> ask(const std::string& name, int64_t step_s = 10) {
    const QueryEngine engine(*table_, store_, {}, &cache_);
    return engine.run({{name}, kStart - 10 * kHour, now_ + 700, step_s, {}}, now().wall);
  }
  // Returns the sum of all samples of a series. Expects the same sum for several steps.
  double sum(const std::string& name) {
    std::vector<double> sums;
    for (const int64_t step_s : {int64_t{10}, int64_t{300}, kHour}) {
      const auto answer = ask(name, step_s);
      EXPECT_TRUE(answer) << answer.error().message;
      double total = 0;
      if (answer) {
        total += total_of(Stat::kSum, *answer, answer->series.at(0));
      }
      sums.push_back(total);
    }
    EXPECT_EQ(sums, std::vector<double>(3, sums[0])) << name;
    return sums[0];
  }
  void remove(const std::string& name) {
    const auto done = changes_->run(DeleteRequest{.names = {name}, .globs = {}, .from_s = {}, .until_s = {}});
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_EQ(done->deleted, 1U);
  }
  NameChanges::Deleted erase(const std::string& name, std::optional<int64_t> from_s,
                             std::optional<int64_t> until_s) {
    const auto done =
        changes_->run(DeleteRequest{.names = {name}, .globs = {}, .from_s = from_s, .until_s = until_s});
    EXPECT_TRUE(done) << done.error().message;
    return done.value();
  }
  void rename(const std::string& from, const std::string& to, size_t count = 1) {
    const auto done = changes_->run(RenameRequest{from, to});
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_EQ(*done, count);
  }
  // Returns the error message; empty if the request succeeds.
  template <class Request>
  std::string refusal(const Request& request) {
    const auto done = changes_->run(request);
    return done ? "" : done.error().message;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  MemoryStore memory_{tiers_};
  HookedStore store_{memory_};
  ColumnCache cache_{size_t{1} << 20};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  int64_t now_ = kStart;
  int ticks_ = 0;
  int failing_tick_ = 0;
  std::unique_ptr<Table> table_;
  std::unique_ptr<Ticker> ticker_;
  std::unique_ptr<NameChanges> changes_;
};

}  // namespace statmill
