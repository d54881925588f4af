// A collector of files that can block: hardware that answers late, or a lock of the kernel that somebody
// holds.
//
// Once per slot of 10 s a thread reads them. The collection waits for it at most 20 ms, so other collectors
// go on; what comes later is reported by the collection that finds it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agent/collectors/collector.h"
#include "base/clock.h"
#include "base/log.h"

namespace statmill {

// What such a collector reads. read() runs on its own thread, never at the same time as report().
class SlowSource {
 public:
  virtual ~SlowSource() = default;
  virtual std::string_view name() const = 0;
  // May block.
  virtual void read() = 0;
  // Reports what read() found, once.
  virtual CollectorStatus report(MetricSink& sink) = 0;
  // Keeps its series, while there is nothing new to report.
  virtual void keep(MetricSink& sink) const = 0;
  // Returns the path that read() waits for; may be empty. Thread-safe.
  virtual std::string waits_for() const = 0;
};

// How long a collection waits for the reading that it started: most take less than a millisecond.
inline constexpr Duration kSlowPatience{20};
// The first one waits longer, so that --check and the first status know what there is.
inline constexpr Duration kSlowFirstPatience{500};
// After this the collector is degraded, and its totals begin again.
inline constexpr Duration kSlowOverdue{10'000};

struct SlowOptions {
  bool is_each_time = false;  // reads at each collection instead of once in 10 s
};

// Both must outlive the collector, whose destruction waits for the read under way.
std::unique_ptr<Collector> make_slow_collector(std::unique_ptr<SlowSource> source, const Clock& clock,
                                               Log& log, SlowOptions options = {});

}  // namespace statmill
