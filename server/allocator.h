// Allocator: how malloc keeps and returns memory, tuned for a server whose ticks are bursts.
#pragma once

#include <cstddef>

#include "base/clock.h"
#include "statmill/registry.h"

namespace statmill {

// Large blocks go back to the system when they are freed. Once, before threads start.
void tune_allocator();

// Gives back what is free inside the heaps: some milliseconds per GB, so once in a while, and soon after much
// was freed.
class MemoryReturn {
 public:
  explicit MemoryReturn(Registry& registry);

  // `used`: bytes in use of what comes and goes in bursts.
  void tick(SteadyTime now, size_t used);

 private:
  static constexpr Duration kInterval = std::chrono::seconds(10);
  static constexpr Duration kPause = std::chrono::seconds(2);
  static constexpr size_t kMuchBytes = size_t{16} << 20;

  Counter& returns_;
  SteadyTime last_;
  size_t most_used_ = 0;  // since then
};

}  // namespace statmill
