#include "server/table/series_ends.h"

#include <utility>

namespace statmill {

void SeriesEnds::end(const Hash128& series, int64_t end_ms) {
  Ends dropped;  // freed without the lock
  MutexLock lock(mutex_);
  older_.erase(series);
  newer_[series] = end_ms;
  if (newer_.size() >= half_) {
    dropped = std::exchange(older_, std::exchange(newer_, {}));
    forgotten_.fetch_add(dropped.size(), std::memory_order_relaxed);
  }
  count();
}

void SeriesEnds::clear(const Hash128& series) {
  MutexLock lock(mutex_);
  newer_.erase(series);
  older_.erase(series);
  count();
}

std::optional<int64_t> SeriesEnds::of(std::string_view name) const {
  if (size() == 0) return std::nullopt;
  const Hash128 series = key(name);
  MutexLock lock(mutex_);
  for (const Ends* const ends : {&newer_, &older_}) {
    if (const auto found = ends->find(series); found != ends->end()) return found->second;
  }
  return std::nullopt;
}

void SeriesEnds::count() { size_.store(newer_.size() + older_.size(), std::memory_order_relaxed); }

}  // namespace statmill
