// What a sample of remote_write adds to its series, which depends on what the series had last.
//
// A cumulative counter is stored as its increments. What is older than the last value, or the same again,
// adds nothing: a sender repeats what it got no answer for, and a later value already has what an older one
// counted.
#pragma once

#include <compare>
#include <cstdint>

#include "ingest/late_slots.h"
#include "proto/last_value.h"
#include "proto/number.h"

namespace statmill {

enum class StepKind : uint8_t {
  kAdd,           // a sample with `amount`
  kRepeated,      // nothing: the same sample again
  kOlder,         // nothing: a counter's last value already has what this one counted
  kOutOfOrder,    // refused: a gauge's sample that is older than its last, or another one of that time
  kLate,          // a sample with `amount`, older than the gauge's last value, which stays the last
  kLateRepeated,  // nothing: an older sample of a gauge, whose slot has one
};

struct Step {
  StepKind kind = StepKind::kAdd;
  Number amount;          // the increment of a counter, or the value of a gauge
  bool is_reset = false;  // the counter began again
};

// A sample with a finite value; that of a counter is not negative.
struct TimedValue {
  Number value;
  int64_t time_ms = 0;
  int64_t start_ms = 0;  // since when the counter counts; 0: unknown
  uint32_t time_ns = 0;  // by how much the time is past time_ms: 0..999,999
};

// Compares the times of a sample and of what its series had last.
inline std::strong_ordering compare_times(const TimedValue& sample, const LastValue& last) {
  const auto ms = sample.time_ms <=> last.time_ms;
  return std::is_eq(ms) ? sample.time_ns <=> last.time_ns : ms;
}
// Makes a sample the last of its series. The value may be another than its own.
void move_on(const TimedValue& sample, const Number& value, LastValue& last);
// Returns whether the sample says since when its counter counts: a time before its own.
bool has_known_start(const TimedValue& sample);
// Returns whether the sample counts from a later start than the last one did.
bool has_new_start(const TimedValue& sample, const LastValue& last);

// Times of a start that differ by no more are the same: some senders compute it from the time that a program
// runs, and from a clock that is being adjusted.
inline constexpr int64_t kStartJitterMs = 1000;

// Returns what the first sample of a series adds, and sets `last`. A counter whose start is known adds all
// that it counted; otherwise nothing is known of what it counted before, so it adds 0.
Step first_step(const TimedValue& sample, bool is_counter, LastValue& last, const LateWindow& window = {});
// Returns what a further sample adds, and moves `last` on if it adds anything, unless the sample is late.
Step next_step(const TimedValue& sample, LastValue& last, const LateWindow& window = {});
// Returns what an amount adds, which its sender counted since the amount before: all of it, unless it is not
// newer than the last one. `is_new`: there is none.
Step amount_step(const TimedValue& sample, bool is_new, LastValue& last);
// Returns what a counter adds whose sender sent amounts before: all of it, if it counts from a time after
// them; else nothing, since they may have it already.
Step counter_step_after_amounts(TimedValue sample, LastValue& last);

// Returns a - b: as a decimal if both are decimals and the difference is one, else the nearest finite
// double's.
Number difference(const Number& a, const Number& b);

}  // namespace statmill
