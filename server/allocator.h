// Tunes malloc for a server that allocates in bursts, one per tick.
#pragma once

#include <cstddef>

#include "base/clock.h"
#include "statmill/registry.h"

namespace statmill {

// Makes malloc return large blocks to the system when they are freed. Call once, before threads start.
void tune_allocator();

// Returns free memory inside the heaps to the system. That costs some milliseconds per GB, so it is done
// rarely, and sooner after a lot of memory was freed.
class MemoryReturn {
 public:
  explicit MemoryReturn(Registry& registry);

  // `used`: bytes now held by buckets in memory, which grow and shrink in bursts.
  void tick(SteadyTime now, size_t used);

 private:
  static constexpr Duration kInterval = std::chrono::seconds(10);
  static constexpr Duration kPause = std::chrono::seconds(2);
  static constexpr size_t kMuchBytes = size_t{16} << 20;

  Counter& returns_;
  SteadyTime last_;
  size_t most_used_ = 0;  // since last_
};

}  // namespace statmill
