// TickThread: calls the ticker at its interval until it is stopped; the last tick takes what is left. Between
// ticks it runs what others have to do with the ticker.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/task_time.h"
#include "server/tick/ticker.h"

namespace statmill {

class TickThread {
 public:
  // All must outlive it. Starts at once. `before_tick` runs on the thread before each tick. `time` says how
  // long the tick or the job under way has taken.
  TickThread(Ticker& ticker, const Clock& clock, Log& log, TaskTime& time, Duration interval,
             std::function<void()> before_tick);
  ~TickThread();

  // What is to be done on the thread; ticks wait for its end.
  using Job = std::function<Status(Ticker& ticker, TickTime now)>;

  // Runs the job between two ticks, as soon as the one under way has ended, and waits for its end: all that
  // others may do with the ticker. Gives back what the job gives. kUnavailable: the thread is being stopped,
  // and the job has not run. Thread-safe; not for the thread itself. Calls are run in order; as each caller
  // waits, no more of them lie here than there are threads that call.
  Status call(const Job& job);

  // Ends the thread after one last tick, tried for at most `patience`. An error: the last tick did not get
  // into the store. Call once, when no one feeds the table any more.
  Status stop(Duration patience);

 private:
  struct Call {
    const Job& job;
    Status result;  // this and `done` under mutex_
    bool done = false;
  };
  void run();
  Status run(const Job& job);
  bool wait_until(SteadyTime time);
  std::vector<Call*> take_calls();
  void end(Call& call, Status result);
  Status tick();

  Ticker& ticker_;
  const Clock& clock_;
  Log& log_;
  TaskTime& time_;
  const Duration interval_;
  const std::function<void()> before_tick_;
  LogLimiter failure_log_{std::chrono::seconds(10)};
  int64_t failures_ = 0;  // in a row
  Mutex mutex_;
  Condition wake_;
  Condition call_ended_;
  std::vector<Call*> calls_ GUARDED_BY(mutex_);  // not taken up yet; each lives on its caller's stack
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace statmill
