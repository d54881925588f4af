// ReclaimThread: has the store give back, in the background, the space of what has expired.
#pragma once

#include <atomic>
#include <thread>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "statmill/registry.h"
#include "storage/store.h"

namespace statmill {

class ReclaimThread {
 public:
  // All must outlive it. Starts at once.
  ReclaimThread(Store& store, Registry& registry, Log& log);
  // Ends soon, even amid a compaction.
  ~ReclaimThread();

 private:
  // Between looks at whether more has expired, which costs nothing when none has.
  static constexpr Duration kInterval = std::chrono::seconds(1);
  static constexpr Duration kPauseAfterFailure = std::chrono::minutes(1);

  void run();
  Duration reclaim();

  Store& store_;
  Log& log_;
  Counter& reclaimed_;
  // Set by the destructor's thread, read by ours and by the store's compactions.
  std::atomic<bool> stopping_{false};
  Mutex mutex_;
  Condition wake_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace statmill
