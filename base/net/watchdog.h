// Watchdog: detects event loops that a handler blocks, and tasks that hang, while they hang.
//
// Every WatchdogOptions::ping it posts a ping into each loop. The time until the loop runs the ping is the
// loop's lag: how late everything is that the loop serves. The watchdog waits only for its own mutex and for
// those of tasks, which are held briefly. It never touches a disk, except to log.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/running.h"
#include "base/task_time.h"
#include "base/watchdog_options.h"

namespace statmill {

class Watchdog {
 public:
  using Parts = std::map<std::string, std::string>;  // "loop.http" -> text for people
  struct Services {  // called on the thread that calls look(); must outlive it
    const Clock& clock;
    Log& log;
    // Receives each measured lag of a loop.
    std::function<void(std::string_view loop, std::chrono::nanoseconds lag)> record_lag;
    // Receives changes of a part's problem or warning; an empty text means that it has ended.
    std::function<void(std::string_view part, const std::string& text)> problem;
    std::function<void(std::string_view part, const std::string& text)> warning;
  };
  Watchdog(const WatchdogOptions& options, Services services);

  struct Loop;
  // add() and remove() are thread-safe. The loop must run until it is removed. Several may share a name.
  std::shared_ptr<Loop> add(boost::asio::io_context& loop, std::string name);
  // Adds a pool of threads. Its jobs may take long, so it is a warning and never a problem if all threads are
  // busy.
  std::shared_ptr<Loop> add_pool(boost::asio::any_io_executor pool, std::string name);
  void remove(const std::shared_ptr<Loop>& loop);
  // Adds a task that hangs if `time` is older than WatchdogOptions::hang. Thread-safe. `time` must outlive
  // the watchdog.
  void add_task(std::string name, const TaskTime& time);
  // The same for work that has no TaskTime.
  struct TaskState {
    std::chrono::nanoseconds age{0};  // 0: nothing is under way
    std::string activity;
  };
  using LookAtTask = std::function<TaskState(SteadyTime now)>;
  // `look` must be quick, and is called until the task is removed, on the thread that calls look().
  void add_task(std::string name, LookAtTask look);
  // Thread-safe. Requires: there is one of this name.
  void remove_task(std::string_view name);

  // Checks all loops and tasks. Call it from one thread only. Cost: a few microseconds per loop.
  void look();
  // Whether, as of the last look(), no loop hangs and no task has hung for longer than
  // WatchdogOptions::task_patience. Thread-safe.
  bool makes_progress() const { return makes_progress_.load(std::memory_order_relaxed); }
  // As of the last look(). Call it on the thread that calls look().
  const Parts& problems() const { return problems_; }

 private:
  struct Task {
    std::string name;
    LookAtTask look;
    std::chrono::nanoseconds hung{0};  // its age at the last look if it hung then, else 0
  };
  // The results of one look.
  struct Findings;

  void look_at(Loop& loop, SteadyTime now, Findings& found) REQUIRES(mutex_);
  void look_at(Task& task, SteadyTime now, Findings& found) REQUIRES(mutex_);
  void note_pause(SteadyTime now);
  void ping(const std::shared_ptr<Loop>& loop, SteadyTime now) REQUIRES(mutex_);
  void report_lags(const Findings& found, SteadyTime now);
  void report_hangs(const Findings& found);
  void end_warnings(SteadyTime now);

  const WatchdogOptions options_;
  const Services services_;
  Mutex mutex_;
  std::vector<std::shared_ptr<Loop>> loops_ GUARDED_BY(mutex_);
  std::vector<Task> tasks_ GUARDED_BY(mutex_);
  // Used only on the thread that calls look().
  std::optional<SteadyTime> last_look_;
  SteadyTime awake_since_;  // no thread is blamed for delays before this time
  Parts problems_;
  std::map<std::string, SteadyTime> warned_until_;  // current warnings, by part
  LogLimiter lag_log_{std::chrono::seconds(10)};
  std::atomic<bool> makes_progress_{true};  // written by look(), read by all. Relaxed: it is independent
};

// Makes the watchdog watch a task for the lifetime of this object.
class TaskWatch {
 public:
  // The watchdog must outlive this.
  TaskWatch(Watchdog& watchdog, const std::string& name, Watchdog::LookAtTask look)
      : watchdog_(watchdog), name_(name) {
    watchdog_.add_task(name, std::move(look));
  }
  ~TaskWatch() { watchdog_.remove_task(name_); }
  TaskWatch(const TaskWatch&) = delete;
  TaskWatch& operator=(const TaskWatch&) = delete;

 private:
  Watchdog& watchdog_;
  const std::string name_;
};

// Makes the watchdog watch a loop that the calling thread runs, for the lifetime of this object. Does nothing
// if `watchdog` is null.
class LoopWatch {
 public:
  LoopWatch(Watchdog* watchdog, boost::asio::io_context& loop, std::string name);
  ~LoopWatch();
  LoopWatch(const LoopWatch&) = delete;
  LoopWatch& operator=(const LoopWatch&) = delete;

 private:
  Watchdog* const watchdog_;
  std::shared_ptr<Watchdog::Loop> loop_;
  ThreadActivity* const activity_before_;
};

}  // namespace statmill
