// FaultWorld: a server without sockets and threads on a faulty disk, with a ledger of what it must not lose.
//
// The ledger records each sample with the tick that is open when the sample is accepted. After a crash there
// must be everything up to the durable tick, perhaps also the one tick that was being written, as a whole;
// nothing else, and nothing twice.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/task_time.h"
#include "server/query/engine.h"
#include "server/tick/ticker.h"
#include "storage/rocks/rocks_store.h"
#include "tests/fault/faulty_disk.h"
#include "tests/support/temp_directory.h"

namespace statmill {

struct FaultWorldOptions {
  uint64_t seed = 1;
  bool sync = true;
  size_t pending_bytes = size_t{64} << 20;
};

// Confined to one thread, except for RocksDB's threads.
class FaultWorld {
 public:
  // RocksDB's buffers are so small that it flushes every few ticks and compacts now and then.
  explicit FaultWorld(const FaultWorldOptions& options);
  ~FaultWorld();

  FaultyDisk& disk() { return *disk_; }
  std::mt19937_64& random() { return random_; }
  // The duration of the current tick so far, in the time of the world.
  const TaskTime& tick_time() const { return tick_time_; }
  SteadyTime steady() const { return now().steady; }

  // Opens the store, recovers, and compares the content with the ledger, which then continues from it.
  Status start();
  bool is_running() const { return life_ != nullptr; }
  // Ends the process; the disk stays as it is.
  void stop();
  // Cuts the power, ends the process, restores the power.
  void cut_power_and_restore();

  void send(int samples);
  Status tick();
  Status flush_all();
  void advance(int64_t seconds) { wall_s_ += seconds; }
  // Runs rounds of load: samples, ticks, flushes, days that pass, compared queries; in the middle the process
  // is killed and started again. Failed ticks and, with `reads_may_fail`, failed queries are allowed; a
  // failed start ends the run.
  enum class Reads { kMustWork, kMayFail };
  void run(int rounds, Reads reads = Reads::kMustWork);
  // Ticks until one succeeds. Returns false if none of 20 does.
  bool resumes();

  // Checks with queries that everything accepted is there exactly once. Returns an error if the store cannot
  // be read.
  Status compare();
  // The problem that /readyz would report, or empty if ready.
  std::string problem() const;
  int64_t accepted() const { return static_cast<int64_t>(ledger_.size()); }
  uint64_t refused_for_memory() const { return refused_for_memory_; }
  uint64_t reopenings() { return life_->store->stats().reopenings; }
  RocksStore& store() { return *life_->store; }
  int lost() const { return lost_; }  // starts that found less than was durable; must be 0 with sync

 private:
  struct Entry {
    std::string name;
    int64_t time_s = 0;
    int64_t value = 0;
    TickNo tick = 0;
  };
  // Everything that ends with the process.
  struct Life {
    std::unique_ptr<RocksStore> store;
    Registry registry;
    Health health;
    Log log{LogLevel::kError};
    std::unique_ptr<Table> table;
    std::unique_ptr<Ticker> ticker;
    std::unique_ptr<QueryEngine> engine;
  };
  struct Totals {
    double sum = 0;
    double count = 0;
  };
  using AllTotals = std::map<std::string, Totals>;

  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  TickTime now() const { return {from_unix_seconds(wall_s_), SteadyTime(std::chrono::seconds(wall_s_))}; }
  TickNo gauge(std::string_view name);
  Result<AllTotals> stored(int64_t from_s, int64_t step_s);
  // The sums of the entries up to tick `last`, from `from_s` on.
  AllTotals owed(TickNo last, int64_t from_s) const;
  static std::string difference(const AllTotals& want, const AllTotals& got);
  Status reconcile_ledger();

  const FaultWorldOptions options_;
  std::mt19937_64 random_;
  const Tiers tiers_ = *Tiers::parse("10s:1d,1h:1y");
  TempDirectory directory_;
  std::shared_ptr<FaultyDisk> disk_;
  int64_t wall_s_;
  TaskTime tick_time_;
  std::unique_ptr<Life> life_;
  std::vector<Entry> ledger_;
  TickNo durable_ = 0;    // of the previous process
  TickNo under_way_ = 0;  // the same or the next tick: the store may have it
  uint64_t refused_for_memory_ = 0;
  int lost_ = 0;
};

}  // namespace statmill
