// Which of several resolutions of one series has which time: the finest that still covers it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace statmill {

// The newest time of a file, from which its rings are counted back. A time of more than a day after the file
// was written comes from a wrong clock: it counts only if there are no others.
class NewestTime {
 public:
  explicit NewestTime(int64_t written_s) : written_s_(written_s) {}

  void add(int64_t time_s) {
    constexpr int64_t kDay_s = 86'400;
    int64_t& newest_s = time_s - kDay_s <= written_s_ ? newest_s_ : later_s_;
    newest_s = std::max(newest_s, time_s);
  }
  // 0 if no time was added above 0.
  int64_t value() const { return newest_s_ > 0 ? newest_s_ : later_s_; }

 private:
  const int64_t written_s_;
  int64_t newest_s_ = 0;
  int64_t later_s_ = 0;
};

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
