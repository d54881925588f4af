// FaultWorld: a server without sockets and threads on a faulty disk, beside a ledger of what it owes.
//
// Every sample is entered with the tick that is open when it is taken. What must be there after a crash
// follows: all up to the durable tick, perhaps the one tick that was on its way, whole; nothing else, and
// nothing twice.
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

// Confined to one thread; RocksDB brings its own.
class FaultWorld {
 public:
  // RocksDB's buffers are made so small that it flushes every few ticks and compacts now and then.
  explicit FaultWorld(const FaultWorldOptions& options);
  ~FaultWorld();

  FaultyDisk& disk() { return *disk_; }
  std::mt19937_64& random() { return random_; }
  // How long the tick under way has taken, in the time of the world.
  const TaskTime& tick_time() const { return tick_time_; }
  SteadyTime steady() const { return now().steady; }

  // Opens the store, recovers, and checks what came back against the ledger, which then goes on from there.
  Status start();
  bool is_running() const { return life_ != nullptr; }
  // The process is gone; the disk stays as it is.
  void stop();
  // The power is cut, the process gone; then the power comes back.
  void cut_power_and_restore();

  void send(int samples);
  Status tick();
  Status flush_all();
  void advance(int64_t seconds) { wall_s_ += seconds; }
  // Rounds of load: samples, ticks, flushes, days that pass, queries compared, and in the middle the process
  // is killed and started again. Failed ticks and, with `reads_may_fail`, failed queries are no fault; a
  // failed start ends it.
  enum class Reads { kMustWork, kMayFail };
  void run(int rounds, Reads reads = Reads::kMustWork);
  // Ticks until one is taken. False: not within 20.
  bool resumes();

  // Everything accepted, asked through queries, must be there exactly once. An error: the store could not be
  // read.
  Status compare();
  // What /readyz would say; empty: ready.
  std::string problem() const;
  int64_t accepted() const { return static_cast<int64_t>(ledger_.size()); }
  uint64_t refused_for_memory() const { return refused_for_memory_; }
  uint64_t reopenings() { return life_->store->stats().reopenings; }
  RocksStore& store() { return *life_->store; }
  int lost() const { return lost_; }  // starts that found less than was durable; with sync none is allowed

 private:
  struct Entry {
    std::string name;
    int64_t time_s = 0;
    int64_t value = 0;
    TickNo tick = 0;
  };
  // What dies with the process.
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
  // Of the entries up to `last`, from `from_s` on.
  AllTotals owed(TickNo last, int64_t from_s) const;
  static std::string difference(const AllTotals& want, const AllTotals& got);
  Status settle();

  const FaultWorldOptions options_;
  std::mt19937_64 random_;
  const Tiers tiers_ = *Tiers::parse("10s:1d,1h:1y");
  TempDirectory directory_;
  std::shared_ptr<FaultyDisk> disk_;
  int64_t wall_s_;
  TaskTime tick_time_;
  std::unique_ptr<Life> life_;
  std::vector<Entry> ledger_;
  TickNo durable_ = 0;    // of the last life
  TickNo under_way_ = 0;  // the same or the tick after: the store may have it
  uint64_t refused_for_memory_ = 0;
  int lost_ = 0;
};

}  // namespace statmill
