// DiskForecast: when the disk is full if the store grows on as it did in the last day.
//
// Each tier grows at a rate of its own, and only until its oldest slot is as old as its retention: from then
// on as much expires as comes. A straight line through the size of the whole store would announce a full disk
// to every new server.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "storage/store.h"

namespace statmill {

// A part of the store that grows for a while.
struct Growth {
  double bytes_per_day = 0;
  double days = 0;  // for how long it goes on
};

// Returns after how many days these parts have grown by `bytes`; nullopt if they never do.
std::optional<double> days_until_grown(std::vector<Growth> parts, double bytes);

// Thread-safe.
class DiskForecast {
 public:
  static constexpr Duration kInterval = std::chrono::minutes(10);
  static constexpr Duration kWindow = std::chrono::hours(24);
  static constexpr Duration kObservedMin = std::chrono::hours(1);  // compactions hide the growth of less

  // Notes the sizes of the tiers, each kInterval.
  void tick(const StoreStats& stats, SteadyTime now);

  struct TierGrowth {
    TierNo tier = 0;
    double bytes_per_day = 0;  // negative if it shrinks
  };
  struct Observed {
    Duration over{0};
    std::vector<TierGrowth> tiers;
  };
  // Returns how the tiers have grown within kWindow, or since the first tick(): the slopes of the straight
  // lines that fit best. nullopt before kObservedMin have passed.
  std::optional<Observed> observed() const;

 private:
  struct Mark {
    SteadyTime time;
    std::vector<TierStats> tiers;
  };

  mutable Mutex mutex_;
  std::deque<Mark> marks_ GUARDED_BY(mutex_);  // at most kWindow / kInterval + 1
};

}  // namespace statmill
