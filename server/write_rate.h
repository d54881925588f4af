// WriteRate: how much the server writes for each sample and each day, as of the last day: what wears an SSD
// out.
#pragma once

#include <deque>
#include <optional>

#include "base/clock.h"
#include "base/mutex.h"
#include "statmill/registry.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe.
class WriteRate {
 public:
  static constexpr Duration kInterval = std::chrono::minutes(10);
  static constexpr Duration kWindow = std::chrono::hours(24);
  // Shards are flushed each 15 minutes (TickOptions) and compacted after several flushes, so less time shows
  // little but the log.
  static constexpr Duration kObservedMin = std::chrono::hours(1);

  // `rated_tb` is how many TB may be written to the disk in its life, as its data sheet says; 0: unknown.
  explicit WriteRate(size_t rated_tb) : rated_tb_(rated_tb) {}

  // Notes, each kInterval, what the store has written, and the accepted samples and the process' writes that
  // the registry has.
  void tick(const StoreStats& stats, const Registry& registry, SteadyTime now);

  struct Observed {
    Duration over{0};
    WrittenBytes files;                        // what the store wrote in this time
    uint64_t samples = 0;                      // accepted in this time
    std::optional<double> disk_bytes_per_day;  // as the kernel counts them; nullopt if it does not
    // How long a new disk lasts at this rate; nullopt if its rating is unknown, or nothing was written.
    std::optional<double> life_days;

    // Returns nullopt if there was no sample.
    std::optional<double> per_sample(uint64_t bytes) const {
      if (samples == 0) return std::nullopt;
      return static_cast<double>(bytes) / static_cast<double>(samples);
    }
  };
  // Returns what was written within kWindow, or since the first tick(). nullopt before kObservedMin have
  // passed.
  std::optional<Observed> observed() const;
  size_t rated_tb() const { return rated_tb_; }

 private:
  struct Mark {
    SteadyTime time;
    WrittenBytes files;
    uint64_t samples = 0;
    std::optional<uint64_t> disk_bytes;
  };

  const size_t rated_tb_;
  mutable Mutex mutex_;
  std::deque<Mark> marks_ GUARDED_BY(mutex_);  // at most kWindow / kInterval + 1
};

}  // namespace statmill
