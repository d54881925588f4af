// TaskTime: since when a thread that is no event loop has been at its present piece of work, such as a tick.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/running.h"

namespace statmill {

// Thread-safe; spans follow each other, on whatever threads, and do not overlap.
class TaskTime {
 public:
  // A piece of work: from its construction to its end.
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

  // 0: nothing is under way.
  std::chrono::nanoseconds age(SteadyTime now) const {
    const int64_t began = began_ns_.load(std::memory_order_relaxed);
    if (began == kNone) return std::chrono::nanoseconds(0);
    return std::max(std::chrono::nanoseconds(0), now.time_since_epoch() - std::chrono::nanoseconds(began));
  }
  const char* activity() const { return activity_.load(std::memory_order_relaxed); }

 private:
  static constexpr int64_t kNone = INT64_MIN;
  // Written by the thread at work, read by all others; relaxed: each stands for itself.
  std::atomic<int64_t> began_ns_{kNone};
  ThreadActivity activity_{nullptr};
};

}  // namespace statmill
