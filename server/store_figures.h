// StoreFigures: what the store said about itself a moment ago.
//
// Asking the store can take as long as the disk does. So the tick's thread asks, now and then, and everybody
// else reads what it was told.
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe, but for tick(), which belongs to one thread.
class StoreFigures {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(1);

  // Asks the store if the last answer is older than kInterval.
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
