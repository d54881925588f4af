// StoreStatsCache: recent statistics of the store.
//
// Reading them from the store can block on the disk. The tick thread reads them once a second; all others
// read this copy and never block.
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe, except for tick(), which is confined to one thread.
class StoreStatsCache {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(1);

  // Reads the statistics if the copy is older than kInterval.
  void tick(Store& store, SteadyTime now) {
    if (now < next_) return;
    next_ = now + kInterval;
    const StoreStats stats = store.stats();
    MutexLock lock(mutex_);
    stats_ = stats;
  }
  StoreStats stats() const {
    MutexLock lock(mutex_);
    return stats_;
  }

 private:
  SteadyTime next_;
  mutable Mutex mutex_;
  StoreStats stats_ GUARDED_BY(mutex_);
};

}  // namespace statmill
