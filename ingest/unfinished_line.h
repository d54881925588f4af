// UnfinishedLine: the beginning of a line, which a connection keeps until the rest arrives.
//
// The first kFreeBytes are each connection's own, so that others cannot make it lose lines of usual lengths.
// What is longer takes from a budget of all connections.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

namespace statmill {

// Limits the bytes of long unfinished lines. Thread-safe.
class UnfinishedBytes {
 public:
  explicit UnfinishedBytes(size_t max) : max_(max) {}

  size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  friend class UnfinishedLine;
  bool add(size_t bytes) {
    if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= max_) return true;
    remove(bytes);
    return false;
  }
  void remove(size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  const size_t max_;
  std::atomic<size_t> used_{0};  // relaxed: it guards no other memory
};

// Thread-compatible.
class UnfinishedLine {
 public:
  static constexpr size_t kFreeBytes = 2048;

  explicit UnfinishedLine(UnfinishedBytes& budget) : budget_(budget) {}  // must outlive the line
  ~UnfinishedLine() { clear(); }
  UnfinishedLine(const UnfinishedLine&) = delete;
  UnfinishedLine& operator=(const UnfinishedLine&) = delete;

  std::string_view text() const { return text_; }
  // Returns false and clears the line if the budget has not enough bytes left.
  bool append(std::string_view bytes) {
    if (text_.size() + bytes.size() > text_.capacity() &&
        !hold(std::max(text_.size() + bytes.size(), 2 * text_.size())))
      return false;
    text_.append(bytes);
    return true;
  }
  // Frees the memory, too.
  void clear() {
    std::string().swap(text_);
    budget_.remove(charged_);
    charged_ = 0;
  }

 private:
  bool hold(size_t bytes) {
    const size_t charge = bytes > kFreeBytes ? bytes - kFreeBytes : 0;
    if (charge > charged_ && !budget_.add(charge - charged_)) {
      clear();
      return false;
    }
    charged_ = std::max(charge, charged_);
    text_.reserve(bytes);
    return true;
  }

  UnfinishedBytes& budget_;
  std::string text_;
  size_t charged_ = 0;  // bytes of the budget
};

}  // namespace statmill
