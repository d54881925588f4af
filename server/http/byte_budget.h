// ByteBudget: limits the bytes of request bodies and answers held in memory by all connections together.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

namespace statmill {

// Thread-safe.
class ByteBudget {
 public:
  // A reserved part of the budget, released when destroyed. The budget must outlive it.
  class Share {
   public:
    Share(Share&& other) noexcept : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (budget_ != nullptr) budget_->release(bytes_);
    }

    // Changes the size of the share. Returns false and changes nothing if the budget has too few bytes left.
    // Requires: nothing was moved from this share.
    bool resize(size_t bytes) {
      if (bytes > bytes_ && !budget_->add(bytes - bytes_)) return false;
      if (bytes < bytes_) budget_->release(bytes_ - bytes);
      bytes_ = bytes;
      return true;
    }

   private:
    friend class ByteBudget;
    Share(ByteBudget* budget, size_t bytes) : budget_(budget), bytes_(bytes) {}

    ByteBudget* budget_;  // nullptr: moved from
    size_t bytes_;
  };

  explicit ByteBudget(size_t bytes_max) : bytes_max_(bytes_max) {}

  // Returns nullopt if fewer than `bytes` are left.
  std::optional<Share> reserve(size_t bytes) {
    if (!add(bytes)) return std::nullopt;
    return Share(this, bytes);
  }
  size_t reserved() const { return reserved_.load(std::memory_order_relaxed); }

 private:
  bool add(size_t bytes) {
    size_t before = reserved();
    do {
      if (bytes > bytes_max_ || before > bytes_max_ - bytes) return false;
    } while (!reserved_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    return true;
  }
  void release(size_t bytes) { reserved_.fetch_sub(bytes, std::memory_order_relaxed); }

  const size_t bytes_max_;
  // Written by all sessions; relaxed, since it guards no other memory.
  std::atomic<size_t> reserved_{0};
};

}  // namespace statmill
