#include "server/query/read/detail_check.h"

#include <algorithm>
#include <cstddef>

namespace statmill {
namespace {

bool are_dense(size_t seconds, size_t slots, size_t ratio) { return 2 * seconds >= slots * ratio; }

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
  return kind == Kind::kEvent ||
         are_dense(detail.present.count(), finest.present.count(), static_cast<size_t>(ratio));
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
