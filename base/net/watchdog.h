// Watchdog: notices event loops that are held by a handler, and tasks that hang, while they hang.
//
// Every Options::ping it posts a ping into each loop. The time until the loop runs it is the loop's lag: how
// late anything that the loop serves is. It waits for nobody but its own mutex, and never touches a disk.
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
  using Parts = std::map<std::string, std::string>;  // "loop.http" -> text for a person
  struct Services {                                  // all must outlive it; called on the thread that looks
    const Clock& clock;
    Log& log;
    // Each lag of a loop that was measured.
    std::function<void(std::string_view loop, std::chrono::nanoseconds lag)> record_lag;
    // A part's problem or warning has changed; an empty text ends it.
    std::function<void(std::string_view part, const std::string& text)> problem;
    std::function<void(std::string_view part, const std::string& text)> warning;
  };
  Watchdog(const WatchdogOptions& options, Services services);

  struct Loop;
  // Thread-safe, and so is remove(). The loop must run until it is removed. `name` may be that of several.
  std::shared_ptr<Loop> add(boost::asio::io_context& loop, std::string name);
  // The same of a pool of threads. Its jobs may take long: that all its threads are busy is a warning, and
  // never a problem.
  std::shared_ptr<Loop> add_pool(boost::asio::any_io_executor pool, std::string name);
  void remove(const std::shared_ptr<Loop>& loop);
  // What hangs when `time` is older than Options::hang. Thread-safe. `time` must outlive the watchdog.
  void add_task(std::string name, const TaskTime& time);

  // Looks at all. From one thread. Cost: a few microseconds for each loop.
  void look();
  // As of the last look: no loop hangs, and no task has hung for longer than Options::task_patience.
  // Thread-safe.
  bool makes_progress() const { return makes_progress_.load(std::memory_order_relaxed); }
  // As of the last look. From the thread that looks.
  const Parts& problems() const { return problems_; }

 private:
  struct Task {
    std::string name;
    const TaskTime& time;
    std::chrono::nanoseconds hung{0};  // its age at the last look; 0: it did not hang
  };
  // What one look has found.
  struct Findings;

  void look_at(Loop& loop, SteadyTime now, Findings& found) REQUIRES(mutex_);
  void look_at(Task& task, SteadyTime now, Findings& found) REQUIRES(mutex_);
  void note_sleep(SteadyTime now);
  void ping(const std::shared_ptr<Loop>& loop, SteadyTime now) REQUIRES(mutex_);
  void tell_lags(const Findings& found, SteadyTime now);
  void tell_hangs(const Findings& found);
  void end_warnings(SteadyTime now);

  const WatchdogOptions options_;
  const Services services_;
  Mutex mutex_;
  std::vector<std::shared_ptr<Loop>> loops_ GUARDED_BY(mutex_);
  std::vector<Task> tasks_ GUARDED_BY(mutex_);
  // Of the thread that looks.
  std::optional<SteadyTime> last_look_;
  SteadyTime awake_since_;  // what happened before is not blamed on any thread
  Parts problems_;
  std::map<std::string, SteadyTime> warned_until_;  // of the warnings that stand, by part
  LogLimiter lag_log_{std::chrono::seconds(10)};
  std::atomic<bool> makes_progress_{true};  // written by it, read by all; relaxed: it stands for itself
};

// Has the watchdog watch a loop that the calling thread runs, for as long as this lives. Null: nobody
// watches.
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
