// BackgroundWork: calls a function on a thread of its own, one call at a time, so that the owner does not
// wait for a file that blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/thread.h"

namespace statmill {

// Confined to one thread. The work runs only between begin() and the wait() that returns true, so what it
// writes needs no lock if the owner reads it only outside of that.
class BackgroundWork {
 public:
  // The thread starts with the first begin(): after the program has given up its capabilities, so that it has
  // none. `log` must outlive this object.
  BackgroundWork(Log& log, std::string name, std::function<void()> work);
  // Waits for the call under way. A read that never returns holds up the end of the process in the kernel
  // anyway.
  ~BackgroundWork();
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  // Starts a call. Requires: none is under way.
  void begin();
  // Waits until no call is under way, for at most `patience`. Returns true if none is.
  bool wait(Duration patience);
  // Returns the CPU time of the calls that have ended.
  uint64_t cpu_ns() const { return cpu_ns_.load(std::memory_order_relaxed); }

 private:
  void run();

  Log& log_;
  const std::string name_;
  const std::function<void()> work_;
  Mutex mutex_;
  Condition changed_;
  bool is_under_way_ GUARDED_BY(mutex_) = false;
  bool is_ending_ GUARDED_BY(mutex_) = false;
  std::atomic<uint64_t> cpu_ns_{0};  // relaxed: nothing depends on it
  Thread thread_;
};

}  // namespace statmill
