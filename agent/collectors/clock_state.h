// The clock collector: how far the kernel's clock is from true time, as the program that disciplines it
// (ntpd, chronyd, systemd-timesyncd) has informed the kernel.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "agent/collectors/collector.h"
#include "base/result.h"

namespace statmill {

// The state of the clock that adjtimex(2) returns.
struct ClockState {
  bool is_synchronized = false;
  double offset_ns = 0;  // that the kernel still corrects; 0 if the program sets the frequency only
  double estimated_error_ns = 0;
  double max_error_ns = 0;   // grows until the program reports again
  double frequency_ppm = 0;  // by how much the clock runs faster than its hardware, in millionths
};

// Changes nothing, and needs no right. Errors: a filter of system calls forbids it.
Result<ClockState> read_clock_state();

using ReadClockState = std::function<Result<ClockState>()>;
std::unique_ptr<Collector> make_clock_collector(ReadClockState read = read_clock_state);

}  // namespace statmill
