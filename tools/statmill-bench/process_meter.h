// ProcessMeter: what a process has cost so far, and when it has come to rest.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

// Whether a process that used so much CPU in a window of time is at rest: at most 3 % of one core.
constexpr bool is_at_rest(std::chrono::nanoseconds cpu, std::chrono::nanoseconds window) {
  return cpu * 100 <= window * 3;
}

// Thread-compatible. Errors of all: kIo when the process is gone or may not be looked at.
class ProcessMeter {
 public:
  explicit ProcessMeter(pid_t pid) : pid_(pid) {}

  // User and system time of all its threads so far, those that have ended included.
  Result<std::chrono::nanoseconds> cpu_time() const;
  Result<uint64_t> resident_bytes() const;
  // Waits until it has been at rest for `window`; gives the time until that window began. Errors: also
  // kUnavailable when that has not come about within `limit`.
  Result<std::chrono::nanoseconds> wait_until_idle(Duration window, Duration limit) const;

 private:
  pid_t pid_;
};

}  // namespace statmill
