// ReclaimThread: calls Store::reclaim() in the background, which gives the disk space of expired data back,
// and IdReuse::step(), which gives back the ids of deleted series.
#pragma once

#include <atomic>
#include <functional>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "server/tick/id_reuse.h"
#include "statmill/registry.h"
#include "storage/store.h"

namespace statmill {

class ReclaimThread {
 public:
  // Starts the thread. The arguments must outlive this object. `each_round` is called about once a second.
  ReclaimThread(Store& store, IdReuse& id_reuse, Registry& registry, Log& log,
                std::function<void()> each_round = {});
  // Stops the thread; cancels a compaction that is in progress.
  ~ReclaimThread();

 private:
  // The pause before it checks again whether more has expired; a check that finds nothing costs nothing.
  static constexpr Duration kInterval = std::chrono::seconds(1);
  static constexpr Duration kPauseAfterFailure = std::chrono::minutes(1);

  void run();
  Duration work();
  Duration reclaim();

  Store& store_;
  IdReuse& id_reuse_;
  Log& log_;
  const std::function<void()> each_round_;  // may be empty
  Counter& reclaimed_;
  // Set by the destructor, read by this thread and by the store's compactions.
  std::atomic<bool> stopping_{false};
  Mutex mutex_;
  Condition wake_;
  Thread thread_;  // last: it uses all of the above
};

}  // namespace statmill
