// Backoff: how long to wait before the next attempt. The wait doubles up to a maximum and is randomized, so
// that a server that comes back is not reached by all its agents at the same moment.
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

  // Returns a random duration between half the bound and the bound. The bound starts at `min` and doubles
  // with each call up to `max`.
  Duration next() {
    std::uniform_int_distribution<Duration::rep> jitter(bound_.count() / 2, bound_.count());
    bound_ = std::min(bound_ * 2, max_);
    return Duration(jitter(random_));
  }
  void reset() { bound_ = min_; }

 private:
  const Duration min_;
  const Duration max_;
  Duration bound_;
  std::mt19937_64 random_;
};

}  // namespace statmill
