// TickThread: calls the ticker at its interval until it is stopped; the last tick takes what is left.
#pragma once

#include <functional>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "server/tick/ticker.h"

namespace statmill {

class TickThread {
 public:
  // All must outlive it. Starts at once. `before_tick` runs on the thread before each tick.
  TickThread(Ticker& ticker, const Clock& clock, Log& log, Duration interval,
             std::function<void()> before_tick);
  ~TickThread();

  // Ends the thread after one last tick, tried for at most `patience`. An error: the last tick did not get
  // into the store. Call once, when no one feeds the table any more.
  Status stop(Duration patience);

 private:
  void run();
  Status tick();

  Ticker& ticker_;
  const Clock& clock_;
  Log& log_;
  const Duration interval_;
  const std::function<void()> before_tick_;
  LogLimiter failure_log_{std::chrono::seconds(10)};
  int64_t failures_ = 0;  // in a row
  Mutex mutex_;
  Condition wake_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace statmill
