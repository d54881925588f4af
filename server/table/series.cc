#include "server/table/series.h"

namespace statmill {

bool Series::replay(uint32_t entries, Reader& in) {
  for (uint32_t i = 0; i < entries; ++i) {
    const std::optional<Slot> slot = pending.add_entry(in, combine());
    if (!slot) return false;
    include_slot(*slot);
  }
  return true;
}

}  // namespace statmill
