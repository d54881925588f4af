// Pacer: computes when each sample may be sent at a given rate. It never waits; the caller does.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace statmill {

class Pacer {
 public:
  static constexpr std::chrono::milliseconds kBurst{4};  // the samples of this much time may be sent at once

  // `rate` is in samples per second; 0 means full speed.
  explicit Pacer(double rate) : rate_(rate) {}

  bool is_pacing() const { return rate_ > 0; }
  // Returns the delay after the first sample at which sample number `samples` may be sent. Requires:
  // is_pacing().
  std::chrono::nanoseconds due(uint64_t samples) const {
    return std::chrono::nanoseconds(static_cast<int64_t>(static_cast<double>(samples) / rate_ * 1e9));
  }
  // Returns the bytes of one burst for lines of this average length: at least one line, at most `bytes_max`.
  size_t burst_bytes(double line_bytes, size_t bytes_max) const {
    if (!is_pacing()) return bytes_max;
    const double bytes = std::max(1.0, rate_ * std::chrono::duration<double>(kBurst).count()) * line_bytes;
    return bytes >= static_cast<double>(bytes_max) ? bytes_max : static_cast<size_t>(bytes);
  }

 private:
  double rate_;
};

}  // namespace statmill
