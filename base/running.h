// Running: records what a thread is doing, so that the Watchdog can name what blocks it.
#pragma once

#include <atomic>

namespace statmill {

// The current activity of one thread: a string with static lifetime, or null if it is unknown. Written by
// that thread and read by the watchdog's. Relaxed: it is a hint for people.
using ThreadActivity = std::atomic<const char*>;

// Where the calling thread records its activity; null if it is not watched. Set by LoopWatch and
// TaskTime::Span.
inline thread_local ThreadActivity* thread_activity = nullptr;

// Names the activity of the calling thread during its lifetime and then restores the previous one. Cost:
// storing a pointer.
class Running {
 public:
  // `what` must outlive the watchdog, as a string literal does.
  explicit Running(const char* what) : activity_(thread_activity) {
    if (activity_ == nullptr) return;
    before_ = activity_->load(std::memory_order_relaxed);
    activity_->store(what, std::memory_order_relaxed);
  }
  ~Running() {
    if (activity_ != nullptr) activity_->store(before_, std::memory_order_relaxed);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  ThreadActivity* const activity_;
  const char* before_ = nullptr;
};

}  // namespace statmill
