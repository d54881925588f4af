#include "server/query/read/detail_check.h"

#include <algorithm>
#include <cstddef>

namespace statmill {
namespace {

bool are_dense(size_t seconds, size_t slots, size_t ratio) { return 2 * seconds >= slots * ratio; }

// Returns whether several samples come once a slot, in most slots from the first to the last one, and always
// at about the same second of it.
bool come_once_a_slot(const SlotColumns& detail, size_t ratio) {
  const size_t first = detail.present.next(0);
  size_t seconds = 0;
  size_t end_slot = 0;    // after the slot of the sample before
  bool are_early = true;  // at the second of the first one or the second before: timers vary
  bool are_late = true;
  for (size_t k = first; k < detail.size(); k = detail.present.next(k + 1)) {
    if (k / ratio < end_slot) return false;
    end_slot = k / ratio + 1;
    ++seconds;
    const size_t place = k % ratio;
    are_early = are_early && (place == first % ratio || place + 1 == first % ratio);
    are_late = are_late && (place == first % ratio || place == first % ratio + 1);
  }
  return seconds > 1 && 2 * seconds >= end_slot - first / ratio && (are_early || are_late);
}

}  // namespace

bool is_whole_detail(const SlotColumns& detail, const SlotColumns& finest, int64_t ratio, Kind kind) {
  const auto slots = static_cast<size_t>(ratio);
  const Combine combine = combine_of(kind);
  for (size_t i = 0; i < finest.size(); ++i) {
    const size_t end = std::min((i + 1) * slots, detail.size());
    Bucket folded;
    for (size_t k = detail.present.next(i * slots); k < end; k = detail.present.next(k + 1))
      combine_bucket(folded, detail.bucket_at(k), combine);
    const Bucket whole = finest.bucket_at(i);
    if (folded.count() != whole.count()) return false;
    const bool is_exact = folded.is_decimal() && whole.is_decimal();
    if (combine == Combine::kAddEvents && is_exact && folded.sum() != whole.sum()) return false;
  }
  return true;
}

bool is_dense_detail(const SlotColumns& detail, const SlotColumns& finest, int64_t ratio, Kind kind) {
  const auto slots = static_cast<size_t>(ratio);
  if (kind == Kind::kEvent) return !come_once_a_slot(detail, slots);
  return are_dense(detail.present.count(), finest.present.count(), slots);
}

bool is_dense_presence(std::span<const uint32_t> seconds, int64_t ratio) {
  const auto slots = static_cast<size_t>(ratio);
  size_t present = 0;
  size_t present_slots = 0;
  for (size_t i = 0; i < seconds.size(); i += slots) {
    const auto slot = seconds.subspan(i, std::min(slots, seconds.size() - i));
    const auto some = static_cast<size_t>(std::ranges::count_if(slot, [](uint32_t n) { return n > 0; }));
    present += some;
    present_slots += some > 0 ? 1 : 0;
  }
  return are_dense(present, present_slots, slots);
}

}  // namespace statmill
