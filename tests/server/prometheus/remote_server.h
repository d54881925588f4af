// RemoteServer: the parts of a server that remote_write uses, over a store in memory, to crash at any moment.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "server/prometheus/remote_write_intake.h"
#include "server/query/engine.h"
#include "server/tick/recovery.h"
#include "tests/support/answers.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"
#include "tests/support/remote_write_message.h"

namespace statmill {

// Words of the tests.
namespace remote {

inline constexpr int64_t kNow = 1'700'006'400;
inline constexpr int64_t ms(int64_t seconds) { return (kNow + seconds) * 1000; }
// The samples of a series without further labels.
inline SentSeries series(const std::string& name, const std::vector<RemoteSample>& samples,
                         FamilyType type = FamilyType::kUnknown) {
  return {{{"__name__", name}}, samples, type};
}

}  // namespace remote

class RemoteServer {
 public:
  static constexpr int64_t kNow = remote::kNow;

  RemoteServer() { restart(); }

  // Starts with what the store has, as after kill -9.
  void restart() {
    ticker_.reset();
    intake_.reset();
    replicas_.reset();
    table_values_.reset();
    lines_.reset();
    registry_ = std::make_unique<Registry>();
    table_ = std::make_unique<Table>(tiers_, limits);
    lines_.emplace(*table_, *registry_);
    types_ = std::make_unique<FamilyTypes>();
    table_values_ = std::make_unique<RemoteTable>(options, *table_, *types_, *registry_);
    replicas_.emplace(options.replicas, clock, *registry_);
    intake_.emplace(*table_values_, *types_, *replicas_, *lines_, *registry_);
    const auto recovery = recover(store, *table_);
    ASSERT_TRUE(recovery);
    ASSERT_TRUE(table_values_->restore(*store.snapshot(), now(), false));
    ticker_ = std::make_unique<Ticker>(
        Ticker::Services{*table_, store, *registry_, health_, log_, table_values_.get()}, TickOptions{},
        recovery->start, SteadyTime(std::chrono::seconds(now_s)));
  }
  // Sends a request of 1.0.
  RemoteAccount send(const std::vector<SentSeries>& series, const std::vector<SentFamily>& families = {}) {
    return send(RemoteWriteVersion::k1, write_request1(series, families));
  }
  RemoteAccount send2(const std::vector<SentSeries>& series) {
    return send(RemoteWriteVersion::k2, write_request2(series));
  }
  RemoteAccount send(RemoteWriteVersion version, const std::string& message) {
    auto account = intake_->submit(version, snappy_block(message), now());
    EXPECT_TRUE(account) << (account ? "" : account.error().message);
    return account ? *account : RemoteAccount{};
  }
  Status tick() { return ticker_->tick(time()); }
  TickTime time() const { return {now(), SteadyTime(std::chrono::seconds(now_s))}; }
  // Makes a tick that deletes or renames series.
  Result<ChangedSeries> change(const SeriesChanges& changes) { return ticker_->change(changes, time()); }
  // Flushes all shards: series without a sample for long become idle.
  Status flush() {
    if (Status s = ticker_->flush_all(time()); !s) return s;
    ticker_->update_index();
    return ticker_->flush_all(time());
  }
  bool is_durable(RemoteTable::Ticket ticket) {
    auto is_ready = std::make_shared<bool>(false);
    table_values_->when_durable(ticket, [is_ready] { *is_ready = true; });
    return *is_ready;
  }
  // Returns what is known of the series that match, by name.
  std::vector<SeriesInfo> known(const std::string& glob) {
    return QueryEngine(*table_, store, {}).list(*Glob::parse(glob), 100).series;
  }
  // Returns the sum of all samples of the series, or nullopt if there is none of that name.
  std::optional<double> total(const std::string& name) {
    const QueryEngine engine(*table_, store, {});
    const auto answer =
        engine.run({{name}, kNow - 3600, now_s + 3600, 10, {}}, from_unix_seconds(now_s + 3600));
    if (!answer || answer->series.empty()) return std::nullopt;
    return total_of(Stat::kSum, *answer, answer->series.at(0));
  }
  std::optional<Kind> kind(const std::string& name) const {
    const auto found = table_->summary(name);
    return found ? std::optional(found->kind) : std::nullopt;
  }
  Table& table() { return *table_; }
  SeriesId id(const std::string& name) const { return table_->summary(name)->id; }
  RemoteTable& values() { return *table_values_; }
  Intake& lines() { return *lines_; }
  const RemoteWriteIntake& intake() { return *intake_; }
  Registry& registry() { return *registry_; }
  Timestamp now() const { return from_unix_seconds(now_s); }

  int64_t now_s = kNow;
  TableLimits limits;
  RemoteOptions options;
  ManualClock clock;  // of the election of replicas
  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y");
  MemoryStore store{tiers_};

 private:
  Health health_;
  Log log_{LogLevel::kError};
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<Table> table_;
  std::optional<Intake> lines_;
  std::unique_ptr<FamilyTypes> types_;
  std::unique_ptr<RemoteTable> table_values_;
  std::optional<ReplicaChoice> replicas_;
  std::optional<RemoteWriteIntake> intake_;
  std::unique_ptr<Ticker> ticker_;
};

}  // namespace statmill
