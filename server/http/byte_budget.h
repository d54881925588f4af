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
      if (budget_ != nullptr) budget_->reserved_.fetch_sub(bytes_, std::memory_order_relaxed);
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
    const size_t before = reserved_.fetch_add(bytes, std::memory_order_relaxed);
    Share share(this, bytes);
    if (bytes > bytes_max_ || before > bytes_max_ - bytes) return std::nullopt;
    return share;
  }
  size_t reserved() const { return reserved_.load(std::memory_order_relaxed); }

 private:
  const size_t bytes_max_;
  // Written by all sessions; relaxed, since it guards no other memory.
  std::atomic<size_t> reserved_{0};
};

}  // namespace statmill
