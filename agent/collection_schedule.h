// CollectionSchedule: when the next collection is due.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/hash.h"

namespace statmill {

// Immutable.
class CollectionSchedule {
 public:
  // The time within the interval is away from its ends, where a late timer would put two samples into one
  // second and none into the next. It differs between hosts, so that they do not all collect at the same
  // instant.
  CollectionSchedule(Duration interval, std::string_view host) : interval_(interval) {
    const auto tenth = static_cast<uint64_t>(interval.count()) / 10;
    phase_ = Duration(static_cast<Duration::rep>(tenth + hash_name(host) % (8 * tenth)));
  }

  Duration interval() const { return interval_; }
  // Computed from wall time each time, so that a clock change or a suspend costs at most one interval.
  Duration until_next(Timestamp now) const {
    return interval_ - (now.time_since_epoch() - phase_) % interval_;
  }

 private:
  Duration interval_;
  Duration phase_;
};

}  // namespace statmill
