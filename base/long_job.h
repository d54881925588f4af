// LongJob: how far an operation of minutes has come, and whether it must end early. It counts bytes, or
// another unit of its owner.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

namespace statmill {

// The operation's thread calls is_cancelled(), expect() and add(); any thread calls progress().
class LongJob {
 public:
  // `is_cancelled` is called on the operation's thread; empty: it is never cancelled.
  explicit LongJob(std::function<bool()> is_cancelled = {}) : is_cancelled_(std::move(is_cancelled)) {}

  bool is_cancelled() const { return is_cancelled_ && is_cancelled_(); }
  // So many further bytes will be worked on.
  void expect(uint64_t bytes) { total_.fetch_add(bytes, std::memory_order_relaxed); }
  // So many bytes are done.
  void add(uint64_t bytes) { done_.fetch_add(bytes, std::memory_order_relaxed); }

  struct Progress {
    uint64_t done = 0;   // bytes
    uint64_t total = 0;  // of which at least so many are expected; 0: unknown
  };
  Progress progress() const {
    return {done_.load(std::memory_order_relaxed), total_.load(std::memory_order_relaxed)};
  }

 private:
  const std::function<bool()> is_cancelled_;
  std::atomic<uint64_t> done_{0};
  std::atomic<uint64_t> total_{0};
};

}  // namespace statmill
