// How late samples of gauges may come, and which of them came already.
//
// A gauge whose samples may come late has a bit for each slot of the window that ends with its last value:
// whether a sample of the slot has come. So a late sample counts once, however often it is sent. It also
// means that only the first sample of a slot may come late. An hour of slots of 10 s takes 46 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "proto/last_value.h"

namespace statmill {

struct LateWindow {
  int64_t window_ms = 0;  // 0: no sample may come late
  int64_t slot_ms = 10'000;

  bool is_open() const { return window_ms > 0; }
  // Slots of which a bit is kept; the first is that of the last value.
  size_t slots() const { return static_cast<size_t>((window_ms + slot_ms - 1) / slot_ms) + 1; }
};

enum class LateSample : uint8_t {
  kAdd,       // the first of its slot, which is noted
  kRepeated,  // its slot has a sample
  kTooLate,   // it is before the window, or nothing is known of its slot
};

// The bits are in LastValue::histogram, which gauges have no other use for. Cost: one allocation, and linear
// in the bytes of the bits.

// Notes the slot of a first value. No sample came before it.
void note_first_slot(const LateWindow& window, LastValue& last);
// Notes the slot of a value at `time_ms`, which becomes the last one and is not older. If the gauge has no
// bits yet, all slots before count as those that have a sample.
void note_next_slot(const LateWindow& window, int64_t time_ms, LastValue& last);
// Notes the slot of a sample that is older than the last value, unless it has one already.
LateSample note_late_slot(const LateWindow& window, int64_t time_ms, LastValue& last);

}  // namespace statmill
