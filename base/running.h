// Running: says what a thread is doing, so that the Watchdog can name what holds it.
#pragma once

#include <atomic>

namespace statmill {

// What one thread is doing, a text that lives on; null: nothing that has a name. Written by that thread and
// read by the watchdog's; relaxed: it is a hint for a person.
using ThreadActivity = std::atomic<const char*>;

// Where the calling thread says what it does; null: nobody watches it. Set by LoopWatch and TaskTime::Span.
inline thread_local ThreadActivity* thread_activity = nullptr;

// Names the work of the calling thread for as long as it lives; then the name that was there before holds
// again. Cost: a store of a pointer.
class Running {
 public:
  // Requires: a text that ends with a zero byte and outlives the watchdog, as a string literal does.
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
