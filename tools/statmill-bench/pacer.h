// Pacer: when how many samples may have been sent, at a given rate. Pure arithmetic: the caller waits.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace statmill {

class Pacer {
 public:
  static constexpr std::chrono::milliseconds kBurst{4};  // the longest time's worth that goes out at once

  // `rate` in samples per second; 0: as fast as it goes.
  explicit Pacer(double rate) : rate_(rate) {}

  bool is_pacing() const { return rate_ > 0; }
  // When, after the first, sample number `samples` may go out. Requires: is_pacing().
  std::chrono::nanoseconds due(uint64_t samples) const {
    return std::chrono::nanoseconds(static_cast<int64_t>(static_cast<double>(samples) / rate_ * 1e9));
  }
  // Bytes of one burst, given how long a line is on average: at most `bytes_max`, at least one line.
  size_t burst_bytes(double line_bytes, size_t bytes_max) const {
    if (!is_pacing()) return bytes_max;
    const double bytes = std::max(1.0, rate_ * std::chrono::duration<double>(kBurst).count()) * line_bytes;
    return bytes >= static_cast<double>(bytes_max) ? bytes_max : static_cast<size_t>(bytes);
  }

 private:
  double rate_;
};

}  // namespace statmill
