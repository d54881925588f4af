// Allocator: how malloc keeps and returns memory, tuned for a server whose ticks are bursts.
#pragma once

#include "base/clock.h"

namespace statmill {

// Large blocks go back to the system when they are freed. Once, before threads start.
void tune_allocator();

// Gives back what is free inside the heaps, once in a while: some milliseconds per GB.
class MemoryReturn {
 public:
  void tick(SteadyTime now);

 private:
  SteadyTime next_;
};

}  // namespace statmill
