#include "tools/statmill/import/tier_cover.h"

#include <limits>

namespace statmill {

std::vector<TierRange> tier_ranges(std::span<const FileTier> tiers, int64_t newest_s) {
  std::vector<TierRange> out;
  int64_t end_s = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < tiers.size(); ++i) {
    int64_t begin_s = newest_s - newest_s % tiers[i].step_s - tiers[i].retention_s;
    if (i + 1 < tiers.size()) {
      // The oldest slot that a ring keeps begins one step later. The coarser tier has no slot that is not
      // over.
      begin_s += tiers[i].step_s;
      const int64_t step_s = tiers[i + 1].step_s;
      const int64_t whole_s = begin_s + (step_s - begin_s % step_s) % step_s;
      if (whole_s <= newest_s) begin_s = whole_s;
    }
    begin_s = begin_s < end_s ? begin_s : end_s;
    out.push_back({begin_s, end_s});
    end_s = begin_s;
  }
  return out;
}

}  // namespace statmill
