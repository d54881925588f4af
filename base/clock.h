// Clock: the types for points in time and durations, and the clocks of a program.
//
// Core code receives `now` as an argument; only composition roots own a Clock. Use wall time for slots and
// for what users see, steady time for intervals.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace statmill {

using Duration = std::chrono::milliseconds;
using Timestamp = std::chrono::sys_time<Duration>;
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

// Whole seconds since 1970-01-01 UTC, rounded down.
inline int64_t unix_seconds(Timestamp t) {
  return std::chrono::floor<std::chrono::seconds>(t).time_since_epoch().count();
}

inline Timestamp from_unix_seconds(int64_t s) { return Timestamp(std::chrono::seconds(s)); }

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp wall() const = 0;
  virtual SteadyTime steady() const = 0;
  // Never steps, and also advances while the machine is suspended, unlike steady(). Only differences matter.
  virtual SteadyTime boot() const { return steady(); }
};

class SystemClock final : public Clock {
 public:
  Timestamp wall() const override { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }
  SteadyTime steady() const override { return std::chrono::steady_clock::now(); }
  SteadyTime boot() const override {
    timespec t{};
    ::clock_gettime(CLOCK_BOOTTIME, &t);  // cannot fail: Linux has had it since 2.6.39
    return SteadyTime(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
  }
};

}  // namespace statmill
