// SeriesEnds: which series have ended, and when, because a sender said so. A selector of PromQL has no value
// of such a series from its end on, in place of the newest one of the last 5 minutes.
//
// It is in RAM only, and has the newest end of each series. It does not look at samples: a caller of of()
// compares the end with the newest slot of the series, and a caller of end() also calls clear() for a sample
// that is newer than the end but in its slot.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/hash.h"
#include "base/mutex.h"

namespace statmill {

// Thread-safe. Its lock is a leaf. Series are known by the hash of their canonical names, with seed 0.
class SeriesEnds {
 public:
  // Remembers at most `ends_max` ends, and at least 2: half of them, the older ones, go at once when there
  // are more. One takes about 50 bytes.
  explicit SeriesEnds(size_t ends_max) : half_(ends_max / 2 > 0 ? ends_max / 2 : 1) {}

  static Hash128 key(std::string_view name) { return hash_name(name, 0); }

  // The series has no samples at `end_ms` and later, until a newer one comes.
  void end(const Hash128& series, int64_t end_ms);
  void clear(const Hash128& series);
  // Returns when the series ended; nullopt if nobody said so, or it is forgotten.
  std::optional<int64_t> of(std::string_view name) const;

  size_t size() const { return size_.load(std::memory_order_relaxed); }
  uint64_t forgotten() const { return forgotten_.load(std::memory_order_relaxed); }  // for lack of room

 private:
  using Ends = std::unordered_map<Hash128, int64_t, HashOfHash128>;

  void count() REQUIRES(mutex_);

  const size_t half_;
  mutable Mutex mutex_;
  // A series is in one of them. The newer one becomes the older one when it has half of all.
  Ends newer_ GUARDED_BY(mutex_);
  Ends older_ GUARDED_BY(mutex_);
  // Written under the lock, read without it; relaxed: no other data depend on them.
  std::atomic<size_t> size_{0};
  std::atomic<uint64_t> forgotten_{0};
};

}  // namespace statmill
