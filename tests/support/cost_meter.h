// Measures what a call costs its thread: the bytes that it allocates, which do not depend on the machine, and
// CPU time. A program that links cost_meter.cc counts all allocations of C++ code.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/thread_cpu.h"

namespace statmill {

struct Cost {
  uint64_t bytes = 0;   // allocated, whether freed or not
  uint64_t cpu_ns = 0;  // of this thread
};

// Returns the bytes that operator new has given to this thread since it began.
uint64_t allocated_bytes();

// Calls `call` three times and returns the least of each, since what else the machine does only adds.
template <class Call>
Cost cost_of(Call call) {
  Cost least{UINT64_MAX, UINT64_MAX};
  for (int i = 0; i < 3; ++i) {
    const uint64_t bytes = allocated_bytes();
    const uint64_t cpu_ns = thread_cpu_ns();
    call();
    least.cpu_ns = std::min(least.cpu_ns, thread_cpu_ns() - cpu_ns);
    least.bytes = std::min(least.bytes, allocated_bytes() - bytes);
  }
  return least;
}

}  // namespace statmill
