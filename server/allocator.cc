#include "server/allocator.h"

#include <malloc.h>

#include <algorithm>

namespace statmill {

// Without fixed thresholds glibc raises its threshold for large blocks to the size of the last one freed (up
// to 32 MiB). Later large blocks then come from a heap, which cannot shrink below a small block that is still
// in use: at 1 M series 460 MB instead of 280.
// The columns and the text of a year of 5 min slots stay in heaps, because a fresh page costs more than the
// numbers in it: such a query takes half of the time. A heap keeps enough free memory at its end for the next
// block of series of a query.
void tune_allocator() {
  constexpr int kLargeBytes = 4 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  mallopt(M_TRIM_THRESHOLD, 2 * kLargeBytes);
}

MemoryReturn::MemoryReturn(Registry& registry)
    : returns_(registry.counter("statmill.memory_returns",
                                "Times that free memory was returned to the system.")) {}

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
