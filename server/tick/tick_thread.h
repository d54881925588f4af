// TickThread: calls the ticker at an interval until it is stopped, and once more then. Between ticks it runs
// other threads' jobs that need the ticker.
#pragma once

#include <functional>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/task_time.h"
#include "base/thread.h"
#include "server/tick/ticker.h"

namespace statmill {

class TickThread {
 public:
  // Starts the thread. The references must outlive this object. The thread calls `before_tick` before each
  // tick but the last, and records in `time` how long a tick or a job has been running.
  TickThread(Ticker& ticker, const Clock& clock, Log& log, TaskTime& time, Duration interval,
             std::function<void()> before_tick);
  ~TickThread();

  // Runs on the tick thread; the next tick waits for it.
  using Job = std::function<Status(Ticker& ticker, TickTime now)>;

  // Runs the job between two ticks, as soon as the present one has ended; waits for the job and returns its
  // result. Returns kUnavailable, without running the job, if the thread is being stopped. Other threads may
  // use the ticker only in this way. Thread-safe, but must not be called on the tick thread. Jobs run in
  // order; because each caller waits, the queue is no longer than the number of calling threads.
  Status call(const Job& job);

  // Stops the thread, then makes a last tick on the calling thread and retries it for at most `patience`.
  // Returns an error if the last tick is not in the store. Call it once, when no thread adds samples to the
  // table any more.
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
  std::vector<Call*> pop_calls();
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
  std::vector<Call*> calls_ GUARDED_BY(mutex_);  // waiting; each lives on its caller's stack
  bool stopping_ GUARDED_BY(mutex_) = false;
  Thread thread_;  // last: it uses all of the above
};

}  // namespace statmill
