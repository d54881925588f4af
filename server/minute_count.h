// MinuteCount: how much something that only grows has grown in the last minute, to within a second.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "base/mutex.h"

namespace statmill {

// Thread-safe.
class MinuteCount {
 public:
  // To be called at least once a second with what there is by now; the first call is the beginning.
  void tick(SteadyTime now, uint64_t total);
  // By how much `total` is more than a minute ago, or than at the beginning.
  uint64_t last_minute(uint64_t total) const;

 private:
  static constexpr size_t kMarks = 60;  // one each second

  mutable Mutex mutex_;
  std::array<uint64_t, kMarks> marks_ GUARDED_BY(mutex_){};
  size_t oldest_ GUARDED_BY(mutex_) = 0;
  SteadyTime next_mark_ GUARDED_BY(mutex_){};
  bool has_begun_ GUARDED_BY(mutex_) = false;
};

}  // namespace statmill
