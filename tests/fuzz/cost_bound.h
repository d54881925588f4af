// CostBound: ends a fuzz target whose input costs more CPU time than its size allows. The bounds are those of
// a build with sanitizers on a slow machine, so only work that grows faster than the input exceeds them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/thread_cpu.h"

namespace statmill {

class CostBound {
 public:
  // From here to the destructor this thread may use a second, and `ns_per_byte` for each byte of the input.
  explicit CostBound(size_t bytes, uint64_t ns_per_byte = 20'000)
      : end_ns_(thread_cpu_ns() + 1'000'000'000 + bytes * ns_per_byte) {}
  ~CostBound() { SM_CHECK(thread_cpu_ns() <= end_ns_); }
  CostBound(const CostBound&) = delete;
  CostBound& operator=(const CostBound&) = delete;

 private:
  const uint64_t end_ns_;
};

}  // namespace statmill
