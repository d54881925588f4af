#include "ingest/late_slots.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace statmill {
namespace {

// Bit 0 of byte 0 is the slot of the last value, the next bit that of the slot before.
class SlotBits {
 public:
  SlotBits(const LateWindow& window, bool is_set)
      : bytes_((window.slots() + 7) / 8, is_set ? '\xff' : '\0') {}
  // Slots that the bits of `last` do not reach count as those that have a sample: what comes for them may be
  // sent again.
  SlotBits(const LateWindow& window, const LastValue& last) : SlotBits(window, true) {
    if (last.histogram)
      std::copy_n(last.histogram->begin(), std::min(bytes_.size(), last.histogram->size()), bytes_.begin());
  }

  bool has(size_t slot) const { return (byte(slot / 8) >> slot % 8 & 1U) != 0; }
  void set(size_t slot) { bytes_[slot / 8] = static_cast<char>(byte(slot / 8) | 1U << slot % 8); }
  // The last value moves to a slot that is later by so many.
  void move_on(uint64_t slots) {
    std::string moved(bytes_.size(), '\0');
    const uint64_t whole = slots / 8;
    const unsigned rest = slots % 8;
    for (size_t to = bytes_.size(); to-- > whole;) {
      const size_t from = to - static_cast<size_t>(whole);
      const unsigned from_newer = from > 0 ? byte(from - 1) << rest >> 8 : 0;
      moved[to] = static_cast<char>(byte(from) << rest | from_newer);
    }
    bytes_ = std::move(moved);
  }
  void store(LastValue& last) && { last.histogram = std::make_shared<const std::string>(std::move(bytes_)); }

 private:
  unsigned byte(size_t i) const { return static_cast<uint8_t>(bytes_[i]); }

  std::string bytes_;
};

// Returns by how many slots `later_ms` is later.
int64_t slots_between(const LateWindow& window, int64_t earlier_ms, int64_t later_ms) {
  return later_ms / window.slot_ms - earlier_ms / window.slot_ms;
}

}  // namespace

void note_first_slot(const LateWindow& window, LastValue& last) {
  SlotBits bits(window, false);
  bits.set(0);
  std::move(bits).store(last);
}

void note_next_slot(const LateWindow& window, int64_t time_ms, LastValue& last) {
  const int64_t slots = slots_between(window, last.time_ms, time_ms);
  if (slots <= 0 && last.histogram) return;
  SlotBits bits(window, last);
  bits.move_on(static_cast<uint64_t>(slots));
  bits.set(0);
  std::move(bits).store(last);
}

LateSample note_late_slot(const LateWindow& window, int64_t time_ms, LastValue& last) {
  if (!last.histogram || time_ms < last.time_ms - window.window_ms) return LateSample::kTooLate;
  const auto slot = static_cast<size_t>(slots_between(window, time_ms, last.time_ms));
  SlotBits bits(window, last);
  if (bits.has(slot)) return LateSample::kRepeated;
  bits.set(slot);
  std::move(bits).store(last);
  return LateSample::kAdd;
}

}  // namespace statmill
