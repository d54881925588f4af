// Backoff: how long to wait before the next attempt, longer each time and different on each host, so that a
// server that comes back is not met by all its agents at once.
#pragma once

#include <algorithm>
#include <random>

#include "base/clock.h"

namespace statmill {

// Confined to one thread.
class Backoff {
 public:
  // Requires: 0 < min <= max. `seed` should differ between hosts.
  Backoff(Duration min, Duration max, uint64_t seed) : min_(min), max_(max), bound_(min), random_(seed) {}

  // Between half the bound and the bound, which doubles from min to max.
  Duration next() {
    std::uniform_int_distribution<Duration::rep> spread(bound_.count() / 2, bound_.count());
    bound_ = std::min(bound_ * 2, max_);
    return Duration(spread(random_));
  }
  void reset() { bound_ = min_; }

 private:
  const Duration min_;
  const Duration max_;
  Duration bound_;
  std::mt19937_64 random_;
};

}  // namespace statmill
