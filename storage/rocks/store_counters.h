// StoreCounters: what the databases of a RocksStore have done since it was opened. A store that is reopened
// after a disk fault opens one database after another; they share one StoreCounters, so that no counter goes
// back.
#pragma once

#include <rocksdb/listener.h>
#include <rocksdb/statistics.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe. Atomics are relaxed, since each is independent of all other data.
class StoreCounters {
 public:
  StoreCounters();

  // RocksDB's own counters, without its histograms and timers. Cost: one addition to a cell per CPU for each
  // look into a buffer or a cache, and for each write.
  const std::shared_ptr<rocksdb::Statistics>& statistics() const { return statistics_; }
  // Added to by threads that compact and by readers.
  std::atomic<uint64_t>& damaged_frames() { return damaged_frames_; }
  std::atomic<uint64_t>& expired_rows() { return expired_rows_; }

  // A part of the store begins to be slowed or stopped.
  void count_stall(StallState began);
  void set_stall_state(StallState state) { stall_state_.store(state, std::memory_order_relaxed); }
  StallState stall_state() const { return stall_state_.load(std::memory_order_relaxed); }

  WrittenBytes written() const;
  CacheLookups cache_lookups() const;
  WriteStalls stalls() const;

 private:
  uint64_t ticker(rocksdb::Tickers ticker) const { return statistics_->getTickerCount(ticker); }

  const std::shared_ptr<rocksdb::Statistics> statistics_;
  std::atomic<uint64_t> damaged_frames_{0};
  std::atomic<uint64_t> expired_rows_{0};
  // Written by the StallListener of the open database, read by all.
  std::atomic<StallState> stall_state_{StallState::kNone};
  std::atomic<uint64_t> slowdowns_{0};
  std::atomic<uint64_t> stops_{0};
};

// Reports the write stalls of one database to its counters. RocksDB reports a change after it has released
// its lock, so two changes of a family may arrive in reverse order: only their sum is right. It reports no
// state at first.
class StallListener final : public rocksdb::EventListener {
 public:
  explicit StallListener(std::shared_ptr<StoreCounters> counters) : counters_(std::move(counters)) {}
  ~StallListener() override { counters_->set_stall_state(StallState::kNone); }

  // The state of a database that was just opened, which counts until the first change.
  void note_opened(StallState state);
  void OnStallConditionsChanged(const rocksdb::WriteStallInfo& info) override;

 private:
  const std::shared_ptr<StoreCounters> counters_;
  Mutex mutex_;
  std::set<std::string> changed_families_ GUARDED_BY(mutex_);
  std::array<int, 3> families_ GUARDED_BY(mutex_) = {};  // of changed_families_, by WriteStallCondition
};

}  // namespace statmill
