// WatchdogThread: calls Watchdog::look() regularly and notifies the service manager that the process makes
// progress, or of what hangs.
#pragma once

#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/net/watchdog.h"
#include "base/thread.h"

namespace statmill {

class WatchdogThread {
 public:
  // Starts at once. `look` is the interval. The watchdog and the log must outlive it.
  WatchdogThread(Watchdog& watchdog, Log& log, Duration look);
  ~WatchdogThread();

 private:
  void run();
  void notify_service_manager(SteadyTime now);

  Watchdog& watchdog_;
  const Duration look_;
  const std::optional<Duration> alive_interval_;  // nullopt: the service manager expects no signs of life
  // Used only on the thread.
  SteadyTime next_alive_;
  std::string reported_;  // the hanging parts that the service manager knows of
  Mutex mutex_;
  Condition wake_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  Thread thread_;  // last, because it uses all members above
};

}  // namespace statmill
