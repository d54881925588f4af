#include "server/table/series.h"

namespace statmill {

bool Series::replay(uint32_t entries, Reader& in, int64_t detail_ratio) {
  const int64_t ratio = is_detailed ? detail_ratio : 1;
  for (uint32_t i = 0; i < entries; ++i) {
    const std::optional<Slot> slot = pending.add_entry(in, combine());
    if (!slot) return false;
    include_slot(*slot / ratio);
  }
  return true;
}

}  // namespace statmill
