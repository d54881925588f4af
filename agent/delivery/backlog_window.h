// BacklogWindow: how many bytes of a backlog may wait for their acknowledgment.
//
// These bytes are in buffers between agent and server, and a new batch waits until they have left. So the
// limit grows only while acknowledgments come quickly. It starts small, because the rate of the link is not
// known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace statmill {

// Thread-compatible.
class BacklogWindow {
 public:
  static constexpr size_t kBytesMin = 16 << 10;
  static constexpr size_t kBytesMax = 64 << 20;
  // The limit doubles if an acknowledgment of all that it allows takes at most kQuick longer than the fastest
  // one did, and halves if it takes over kSlow longer.
  static constexpr Duration kQuick{1'000};
  static constexpr Duration kSlow{2'000};

  // `bytes` is the limit at first, and the least one.
  explicit BacklogWindow(size_t bytes) : limit_min_(bytes), limit_(bytes) {}

  // One batch may always be sent.
  bool has_room() const { return waiting_ == 0 || waiting_ < limit_; }
  size_t limit() const { return limit_; }
  void sent(size_t bytes, SteadyTime now) {
    sent_ += bytes;
    waiting_ += bytes;
    if (!filled_ && waiting_ >= limit_) filled_ = Filled{sent_, now};
  }
  // Requires: these bytes were sent before.
  void acknowledged(size_t bytes, SteadyTime now) {
    waiting_ -= bytes;
    if (!filled_ || sent_ - waiting_ < filled_->sent) return;
    const auto time = std::chrono::duration_cast<Duration>(now - filled_->at);
    filled_.reset();
    fastest_ = std::min(fastest_.value_or(time), time);
    const Duration longer = time - *fastest_;
    if (longer <= kQuick) limit_ = std::min(2 * limit_, kBytesMax);
    if (longer > kSlow) limit_ = std::max(limit_ / 2, limit_min_);
  }

 private:
  // When the limit was reached, and how many bytes had been sent by then.
  struct Filled {
    uint64_t sent;
    SteadyTime at;
  };

  size_t limit_min_;
  size_t limit_;
  uint64_t sent_ = 0;
  size_t waiting_ = 0;
  std::optional<Filled> filled_;  // until that is acknowledged
  std::optional<Duration> fastest_;
};

}  // namespace statmill
