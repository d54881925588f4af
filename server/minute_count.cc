#include "server/minute_count.h"

#include <algorithm>

namespace statmill {

void MinuteCount::tick(SteadyTime now, uint64_t total) {
  constexpr std::chrono::seconds kStep{1};
  MutexLock lock(mutex_);
  if (!has_begun_) {
    has_begun_ = true;
    marks_.fill(total);
    next_mark_ = now + kStep;
    return;
  }
  if (now < next_mark_) return;
  // After a pause the missed seconds get the current total, since their own totals are unknown.
  const auto missed = static_cast<size_t>((now - next_mark_) / kStep);
  for (size_t i = 0; i < std::min(missed + 1, kMarks); ++i) {
    marks_[oldest_] = total;
    oldest_ = (oldest_ + 1) % kMarks;
  }
  next_mark_ += (missed + 1) * kStep;
}

uint64_t MinuteCount::last_minute(uint64_t total) const {
  MutexLock lock(mutex_);
  return total - std::min(total, marks_[oldest_]);  // `total` may have been read before the last tick
}

}  // namespace statmill
