// Without it glibc raises its threshold for large blocks to whatever was freed last (up to
// 32 MiB), and a heap holds them below something small that lives on: at 1 M series 460 MB instead of 280.
#include "server/allocator.h"

#include <malloc.h>

#include <algorithm>

namespace statmill {

void tune_allocator() {
  constexpr int kLargeBytes = 256 << 10;
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  mallopt(M_TRIM_THRESHOLD, 4 * kLargeBytes);
}

MemoryReturn::MemoryReturn(Registry& registry)
    : returns_(registry.counter("statmill.memory_returns",
                                "Times that memory which was free was given back to the system.")) {}

void MemoryReturn::tick(SteadyTime now, size_t used) {
  most_used_ = std::max(most_used_, used);
  const bool is_much = most_used_ - used >= kMuchBytes;
  if (now < last_ + (is_much ? kPause : kInterval)) return;
  last_ = now;
  most_used_ = used;
  malloc_trim(0);
  returns_.add();
}

}  // namespace statmill
