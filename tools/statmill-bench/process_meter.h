// ProcessMeter: measures the CPU time and memory of a process, and detects when it is idle.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

// Returns true if a process that used this much CPU time within the window is idle: at most 3 % of one core.
constexpr bool is_at_rest(std::chrono::nanoseconds cpu, std::chrono::nanoseconds window) {
  return cpu * 100 <= window * 3;
}

// Thread-compatible. All functions return kIo if the process has exited or may not be inspected.
class ProcessMeter {
 public:
  explicit ProcessMeter(pid_t pid) : pid_(pid) {}

  // Returns the user and system time of all its threads so far, including those that have ended.
  Result<std::chrono::nanoseconds> cpu_time() const;
  Result<uint64_t> resident_bytes() const;
  // Waits until the process has been idle for `window`. Returns the time until that window began. Errors:
  // also kUnavailable if that does not happen within `limit`.
  Result<std::chrono::nanoseconds> wait_until_idle(Duration window, Duration limit) const;

 private:
  pid_t pid_;
};

}  // namespace statmill
