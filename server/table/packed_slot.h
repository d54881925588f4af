// PackedSlot: a slot in six bytes, for places that keep a million of them.
//
// At a step of one second the range is four million years each way. A slot outside the range is clamped.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "storage/ids.h"

namespace statmill {

class PackedSlot {
 public:
  static constexpr Slot kMax = (Slot{1} << 47) - 1;
  static constexpr Slot kMin = -kMax - 1;

  constexpr PackedSlot(Slot slot) {  // NOLINT: it is a slot
    slot = std::clamp(slot, kMin, kMax);
    for (size_t i = 0; i < parts_.size(); ++i) parts_[i] = static_cast<uint16_t>(slot >> (16 * i));
  }
  constexpr operator Slot() const {
    return Slot{static_cast<int16_t>(parts_[2])} * (Slot{1} << 32) + (Slot{parts_[1]} << 16) + parts_[0];
  }

  // Compares without unpacking either slot and without a call of memcmp().
  constexpr bool is(const PackedSlot& other) const {
    return parts_[0] == other.parts_[0] && parts_[1] == other.parts_[1] && parts_[2] == other.parts_[2];
  }

 private:
  std::array<uint16_t, 3> parts_{};  // low to high
};
static_assert(sizeof(PackedSlot) == 6);

}  // namespace statmill
