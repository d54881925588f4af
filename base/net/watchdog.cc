#include "base/net/watchdog.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

using Nanoseconds = std::chrono::nanoseconds;

constexpr int64_t kUnanswered = INT64_MIN;

std::string seconds_text(Nanoseconds time) {
  const auto tenths = std::chrono::floor<std::chrono::duration<int64_t, std::deci>>(time).count();
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

int64_t milliseconds(Nanoseconds time) { return std::chrono::floor<Duration>(time).count(); }

const char* name_or_unknown(const char* activity) { return activity == nullptr ? "unknown" : activity; }

std::string loop_part(std::string_view loop) { return "loop." + std::string(loop); }

std::string busy_text(std::string_view pool, Nanoseconds lag) {
  return "all threads of " + std::string(pool) + " busy for " + seconds_text(lag);
}

std::string held_text(std::string_view loop, Nanoseconds lag, const char* handler) {
  return "event loop " + std::string(loop) + " held for " + seconds_text(lag) + " by " +
         name_or_unknown(handler);
}

}  // namespace

struct Watchdog::Loop {
  Loop(boost::asio::any_io_executor e, std::string n, bool is_p)
      : executor(std::move(e)), name(std::move(n)), is_pool(is_p) {}

  const boost::asio::any_io_executor executor;
  const std::string name;
  const bool is_pool;
  ThreadActivity activity{nullptr};
  // When the loop ran the current ping. Written by the loop's thread, read by the watchdog's. Relaxed: it is
  // independent.
  std::atomic<int64_t> answered_ns{kUnanswered};

  // Used only on the thread that calls look().
  bool is_pinged = false;
  SteadyTime pinged;
  const char* handler = nullptr;  // last seen to hold the loop since the ping
  bool hangs = false;
};

struct Watchdog::Findings {
  struct Lag {
    std::string loop;
    Nanoseconds lag;
    const char* handler;
    bool is_over;  // the loop has run the ping
    bool hung;     // it was reported to hang
    bool is_pool;
  };
  struct Hang {
    std::string part;
    std::string activity;
    Nanoseconds age;
    bool is_over;
  };
  std::vector<Lag> lags;    // complete, or already above lag_max
  std::vector<Hang> hangs;  // began or ended with this look
  Parts problems;
  bool makes_progress = true;
};

Watchdog::Watchdog(const WatchdogOptions& options, Services services)
    : options_(options), services_(std::move(services)) {}

std::shared_ptr<Watchdog::Loop> Watchdog::add(boost::asio::io_context& loop, std::string name) {
  auto added = std::make_shared<Loop>(loop.get_executor(), std::move(name), false);
  MutexLock lock(mutex_);
  loops_.push_back(added);
  return added;
}

std::shared_ptr<Watchdog::Loop> Watchdog::add_pool(boost::asio::any_io_executor pool, std::string name) {
  auto added = std::make_shared<Loop>(std::move(pool), std::move(name), true);
  MutexLock lock(mutex_);
  loops_.push_back(added);
  return added;
}

void Watchdog::remove(const std::shared_ptr<Loop>& loop) {
  MutexLock lock(mutex_);
  std::erase(loops_, loop);
}

void Watchdog::add_task(std::string name, const TaskTime& time) {
  add_task(std::move(name), [&time](SteadyTime now) {
    return TaskState{time.age(now), name_or_unknown(time.activity())};
  });
}

void Watchdog::add_task(std::string name, LookAtTask look) {
  MutexLock lock(mutex_);
  tasks_.push_back({std::move(name), std::move(look)});
}

void Watchdog::remove_task(std::string_view name) {
  MutexLock lock(mutex_);
  const auto task = std::ranges::find(tasks_, name, &Task::name);
  SM_CHECK(task != tasks_.end());
  tasks_.erase(task);
}

void Watchdog::look() {
  const SteadyTime now = services_.clock.steady();
  note_pause(now);
  Findings found;
  {
    MutexLock lock(mutex_);
    for (const auto& loop : loops_) {
      if (loop->is_pinged) look_at(*loop, now, found);
      if (!loop->is_pinged && now - loop->pinged >= options_.ping) ping(loop, now);
    }
    for (Task& task : tasks_) look_at(task, now, found);
  }
  makes_progress_.store(found.makes_progress, std::memory_order_relaxed);
  report_hangs(found);
  report_lags(found, now);
  end_warnings(now);
}

// Detects that this process was stopped, or got no CPU for a while: its handlers are not to blame for such
// delays.
void Watchdog::note_pause(SteadyTime now) {
  if (!last_look_ || now - *last_look_ > options_.look + options_.hang / 2) awake_since_ = now;
  last_look_ = now;
}

void Watchdog::ping(const std::shared_ptr<Loop>& loop, SteadyTime now) {
  loop->is_pinged = true;
  loop->pinged = now;
  loop->handler = nullptr;
  loop->answered_ns.store(kUnanswered, std::memory_order_relaxed);
  boost::asio::post(loop->executor, [loop, &clock = services_.clock] {
    loop->answered_ns.store(clock.steady().time_since_epoch().count(), std::memory_order_relaxed);
  });
}

void Watchdog::look_at(Loop& loop, SteadyTime now, Findings& found) {
  const int64_t answered = loop.answered_ns.load(std::memory_order_relaxed);
  const bool is_over = answered != kUnanswered;
  const SteadyTime end = is_over ? SteadyTime(Nanoseconds(answered)) : now;
  const Nanoseconds lag = end - std::min(end, std::max(loop.pinged, awake_since_));
  const char* handler = is_over ? nullptr : loop.activity.load(std::memory_order_relaxed);
  if (handler != nullptr) loop.handler = handler;
  if (is_over || lag > options_.lag_max)
    found.lags.push_back({loop.name, lag, loop.handler, is_over, loop.hangs, loop.is_pool});
  const bool hangs = !is_over && !loop.is_pool && lag > options_.hang;
  if (hangs) {
    found.problems[loop_part(loop.name)] = held_text(loop.name, lag, loop.handler);
    found.makes_progress = false;
  }
  if (hangs && !loop.hangs)
    found.hangs.push_back({loop_part(loop.name), name_or_unknown(loop.handler), lag, false});
  loop.hangs = hangs;
  loop.is_pinged = !is_over;
}

void Watchdog::look_at(Task& task, SteadyTime now, Findings& found) {
  TaskState state = task.look(now);
  const Nanoseconds age = std::min(state.age, Nanoseconds(now - awake_since_));
  const bool hangs = age > options_.hang;
  if (hangs) {
    found.problems[task.name] = "under way for " + seconds_text(age) + " and not done, at: " + state.activity;
    if (age > options_.task_patience) found.makes_progress = false;
  }
  if (hangs != (task.hung > Nanoseconds(0)))
    found.hangs.push_back({task.name, std::move(state.activity), hangs ? age : task.hung, !hangs});
  task.hung = hangs ? age : Nanoseconds(0);
}

// Updates the health first: logging may hang if the disk with the log does.
void Watchdog::report_hangs(const Findings& found) {
  for (const auto& [part, text] : found.problems) services_.problem(part, text);
  for (const auto& [part, text] : problems_) {
    if (!found.problems.contains(part)) services_.problem(part, "");
  }
  problems_ = found.problems;
  for (const Findings::Hang& hang : found.hangs) {
    const std::initializer_list<LogField> fields = {
        {"what", hang.part}, {"at", hang.activity}, {"ms", milliseconds(hang.age)}};
    if (hang.is_over) {
      services_.log.info("recovered", fields);
    } else {
      services_.log.error("hangs", fields);
    }
  }
}

void Watchdog::report_lags(const Findings& found, SteadyTime now) {
  for (const Findings::Lag& lag : found.lags) {
    if (lag.is_over) services_.record_lag(lag.loop, lag.lag);
    if (lag.lag <= options_.lag_max) continue;
    warned_until_[loop_part(lag.loop)] = now + options_.warned;
    services_.warning(loop_part(lag.loop),
                      lag.is_pool ? busy_text(lag.loop, lag.lag) : held_text(lag.loop, lag.lag, lag.handler));
    if (!lag.is_over) continue;
    const int64_t held_back = lag.hung ? 0 : lag_log_.admit(now);
    if (held_back < 0) continue;
    if (lag.is_pool) {
      services_.log.warn("all threads were busy",
                         {{"threads", lag.loop}, {"ms", milliseconds(lag.lag)}, {"held_back", held_back}});
      continue;
    }
    services_.log.warn("event loop was held", {{"loop", lag.loop},
                                               {"handler", name_or_unknown(lag.handler)},
                                               {"ms", milliseconds(lag.lag)},
                                               {"held_back", held_back}});
  }
}

void Watchdog::end_warnings(SteadyTime now) {
  std::erase_if(warned_until_, [&](const auto& warned) {
    if (now < warned.second) return false;
    services_.warning(warned.first, "");
    return true;
  });
}

LoopWatch::LoopWatch(Watchdog* watchdog, boost::asio::io_context& loop, std::string name)
    : watchdog_(watchdog), activity_before_(thread_activity) {
  if (watchdog_ == nullptr) return;
  loop_ = watchdog_->add(loop, std::move(name));
  thread_activity = &loop_->activity;
}

LoopWatch::~LoopWatch() {
  if (watchdog_ == nullptr) return;
  thread_activity = activity_before_;
  watchdog_->remove(loop_);
}

}  // namespace statmill
