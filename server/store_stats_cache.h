// StoreStatsCache: recent statistics of the store.
//
// Reading them from the store can block on the disk. The tick thread reads them once a second; all others
// read this copy and never block.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe, except for tick(), which is confined to one thread.
class StoreStatsCache {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(1);
  static constexpr Duration kOldestInterval = std::chrono::seconds(10);  // it costs a read per tier

  // Reads the statistics if the copy is older than kInterval.
  void tick(Store& store, SteadyTime now) {
    if (now < next_) return;
    next_ = now + kInterval;
    const StoreStats stats = store.stats();
    const bool is_oldest_due = now >= next_oldest_;
    const std::vector<OldestChunk> oldest = is_oldest_due ? oldest_of(store, stats) : oldest_chunks();
    if (is_oldest_due) next_oldest_ = now + kOldestInterval;
    MutexLock lock(mutex_);
    stats_ = stats;
    oldest_ = oldest;
  }
  StoreStats stats() const {
    MutexLock lock(mutex_);
    return stats_;
  }

  struct OldestChunk {
    TierNo tier = 0;
    std::optional<ChunkNo> chunk;  // nullopt: the tier has none, or it could not be read
  };
  // Returns the lowest chunk of each tier in StoreStats::tiers, as of at most kOldestInterval ago.
  std::vector<OldestChunk> oldest_chunks() const {
    MutexLock lock(mutex_);
    return oldest_;
  }

 private:
  static std::vector<OldestChunk> oldest_of(Store& store, const StoreStats& stats) {
    const std::unique_ptr<StoreSnapshot> snapshot = store.snapshot();
    std::vector<OldestChunk> out;
    for (const TierStats& one : stats.tiers) {
      const auto chunk = snapshot->oldest_chunk(one.tier);
      out.push_back({one.tier, chunk ? *chunk : std::nullopt});
    }
    return out;
  }

  SteadyTime next_;
  SteadyTime next_oldest_;
  mutable Mutex mutex_;
  StoreStats stats_ GUARDED_BY(mutex_);
  std::vector<OldestChunk> oldest_ GUARDED_BY(mutex_);
};

}  // namespace statmill
