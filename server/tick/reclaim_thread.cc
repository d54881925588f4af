#include "server/tick/reclaim_thread.h"

#include <utility>

namespace statmill {

ReclaimThread::ReclaimThread(Store& store, IdReuse& id_reuse, Registry& registry, Log& log,
                             std::function<void()> each_round)
    : store_(store),
      id_reuse_(id_reuse),
      log_(log),
      each_round_(std::move(each_round)),
      reclaimed_(registry.counter("statmill.reclaimed_chunks",
                                  "Chunk numbers rewritten without their expired rows.")),
      thread_(log, "reclaim", [this] { run(); }) {}

ReclaimThread::~ReclaimThread() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void ReclaimThread::run() {
  while (!stopping_) {
    const Duration pause = work();
    MutexLock lock(mutex_);
    if (!stopping_) wake_.wait_for(mutex_, pause);
  }
}

// Returns how long to wait before the next call.
Duration ReclaimThread::work() {
  if (each_round_) each_round_();
  const Duration pause = reclaim();
  const Result<bool> more = id_reuse_.step(stopping_);
  if (more) return *more ? Duration(0) : pause;
  if (more.error().code != ErrorCode::kUnavailable)
    log_.warn("the ids of deleted series are not used again", {{"reason", more.error().message}});
  return pause;
}

// Calls the store until nothing is left to reclaim; returns how long to wait before the next call.
Duration ReclaimThread::reclaim() {
  while (true) {
    const Result<bool> more = store_.reclaim(stopping_);
    if (!more) {
      log_.error("reclaim failed", {{"reason", more.error().message}});
      return kPauseAfterFailure;
    }
    if (!*more) return kInterval;
    reclaimed_.add();
  }
}

}  // namespace statmill
