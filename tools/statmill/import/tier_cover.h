// Which of several resolutions of one series has which time: the finest that still covers it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace statmill {

// What one resolution of a file keeps: slots of `step_s`, from newest - retention_s on.
struct FileTier {
  int64_t step_s = 1;
  int64_t retention_s = 1;
};

struct TierRange {
  int64_t begin_s = 0;
  int64_t end_s = 0;  // exclusive
  bool has(int64_t time_s) const { return begin_s <= time_s && time_s < end_s; }
};

// Returns the range of each tier: they do not overlap, and begin at whole slots of the next coarser tier, so
// that no slot counts twice. `tiers` ascend by step, and have steps and retentions of at least 1. `newest_s`
// is the start of the newest slot of all.
std::vector<TierRange> tier_ranges(std::span<const FileTier> tiers, int64_t newest_s);

}  // namespace statmill
