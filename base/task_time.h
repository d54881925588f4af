// TaskTime: measures how long a thread without an event loop has been working on its current task, e.g. a
// tick.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/running.h"

namespace statmill {

// Thread-safe. Spans must not overlap; each may run on a different thread.
class TaskTime {
 public:
  // Marks a piece of work from construction to destruction.
  class Span {
   public:
    Span(TaskTime& time, SteadyTime now) : time_(time), activity_before_(thread_activity) {
      thread_activity = &time_.activity_;
      time_.began_ns_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
    }
    ~Span() {
      time_.began_ns_.store(kNone, std::memory_order_relaxed);
      thread_activity = activity_before_;
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    TaskTime& time_;
    ThreadActivity* const activity_before_;
  };

  // How long the current span has lasted; 0 if there is none.
  std::chrono::nanoseconds age(SteadyTime now) const {
    const int64_t began = began_ns_.load(std::memory_order_relaxed);
    if (began == kNone) return std::chrono::nanoseconds(0);
    return std::max(std::chrono::nanoseconds(0), now.time_since_epoch() - std::chrono::nanoseconds(began));
  }
  const char* activity() const { return activity_.load(std::memory_order_relaxed); }

 private:
  static constexpr int64_t kNone = INT64_MIN;
  // Written by the working thread, read by all others. Relaxed: each value is independent.
  std::atomic<int64_t> began_ns_{kNone};
  ThreadActivity activity_{nullptr};
};

}  // namespace statmill
