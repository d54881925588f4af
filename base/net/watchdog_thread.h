// WatchdogThread: has a Watchdog look again and again, and tells the service manager that the process makes
// progress.
#pragma once

#include <optional>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/net/watchdog.h"

namespace statmill {

class WatchdogThread {
 public:
  // The watchdog must outlive it. Starts at once. The service manager is told what hangs, too.
  WatchdogThread(Watchdog& watchdog, Duration look);
  ~WatchdogThread();

 private:
  void run();
  void tell_service_manager(SteadyTime now);

  Watchdog& watchdog_;
  const Duration look_;
  const std::optional<Duration> alive_interval_;  // none: nobody waits for a sign of life
  // Of the thread.
  SteadyTime next_alive_;
  std::string told_;  // the parts that the service manager knows to hang
  Mutex mutex_;
  Condition wake_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace statmill
