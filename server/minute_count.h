// MinuteCount: how much a growing total has grown in the last minute, to within a second.
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
  // Records the total. Must be called at least once a second; counting begins with the first call.
  void tick(SteadyTime now, uint64_t total);
  // Returns how much `total` has grown within the last minute, or since the first tick() if that is later.
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
