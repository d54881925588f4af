// See allocator.h. Without it glibc raises its threshold for large blocks to whatever was freed last (up to
// 32 MiB), and a heap holds them below something small that lives on: at 1 M series 460 MB instead of 280.
#include "server/allocator.h"

#include <malloc.h>

namespace statmill {

void tune_allocator() {
  constexpr int kLargeBytes = 256 << 10;
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  mallopt(M_TRIM_THRESHOLD, 4 * kLargeBytes);
}

void MemoryReturn::tick(SteadyTime now) {
  if (now < next_) return;
  next_ = now + std::chrono::seconds(30);
  malloc_trim(0);
}

}  // namespace statmill
