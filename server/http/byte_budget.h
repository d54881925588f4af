// ByteBudget: limits the bytes of request bodies and answers held in memory by all connections together.
//
// Bodies and large answers leave a part of it to small answers: health checks and metrics have to be answered
// when others have filled the rest.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

namespace statmill {

// The largest answer that counts as small: a first block of a query, and the server's own metrics.
inline constexpr size_t kSmallAnswerBytesMax = size_t{64} << 10;
// Only small answers may use one in this many bytes: 16 MiB of 256 MiB, half of what 512 connections can ask
// for.
inline constexpr size_t kSmallAnswerShare = 16;

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

    // Changes the size of the share of a body. Returns false and changes nothing if too few bytes are left.
    // Requires: nothing was moved from this share.
    bool resize(size_t bytes) {
      if (bytes > bytes_ && !budget_->add(bytes - bytes_, budget_->shared_max_)) return false;
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

  explicit ByteBudget(size_t bytes_max)
      : bytes_max_(bytes_max), shared_max_(bytes_max - bytes_max / kSmallAnswerShare) {}

  // Returns nullopt if fewer than `bytes` are left without those for small answers.
  std::optional<Share> reserve(size_t bytes) { return share_of(bytes, shared_max_); }
  // The same for an answer, which may take the bytes for small answers if it is one.
  std::optional<Share> reserve_answer(size_t bytes) {
    return share_of(bytes, bytes <= kSmallAnswerBytesMax ? bytes_max_ : shared_max_);
  }
  size_t reserved() const { return reserved_.load(std::memory_order_relaxed); }

 private:
  std::optional<Share> share_of(size_t bytes, size_t limit) {
    if (!add(bytes, limit)) return std::nullopt;
    return Share(this, bytes);
  }
  bool add(size_t bytes, size_t limit) {
    if (bytes == 0) return true;  // small answers may have filled more than the limit
    size_t before = reserved();
    do {
      if (bytes > limit || before > limit - bytes) return false;
    } while (!reserved_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    return true;
  }
  void release(size_t bytes) { reserved_.fetch_sub(bytes, std::memory_order_relaxed); }

  const size_t bytes_max_;
  const size_t shared_max_;  // bodies and large answers may fill the budget up to this
  // Written by all sessions; relaxed, since it guards no other memory.
  std::atomic<size_t> reserved_{0};
};

}  // namespace statmill
