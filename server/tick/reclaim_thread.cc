#include "server/tick/reclaim_thread.h"

namespace statmill {

ReclaimThread::ReclaimThread(Store& store, Registry& registry, Log& log)
    : store_(store),
      log_(log),
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
    const Duration pause = reclaim();
    MutexLock lock(mutex_);
    if (!stopping_) wake_.wait_for(mutex_, pause);
  }
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
