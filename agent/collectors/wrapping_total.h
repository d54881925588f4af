// WrappingTotal: a total of a counter that the kernel keeps in 32 bits, which begins again at 0 after 2^32
// - 1.
#pragma once

#include <cstdint>
#include <utility>

namespace statmill {

// Confined to one thread.
class WrappingTotal {
 public:
  // Returns the total for what the counter has now. A step of half its range or more is none that a counter
  // makes between two readings: it was reset, and that adds nothing.
  uint64_t advance(uint32_t counter) {
    const uint32_t growth = counter - std::exchange(counter_, counter);
    if (!std::exchange(is_known_, true)) return total_ = counter;
    return growth < uint32_t{1} << 31 ? total_ += growth : total_;
  }

 private:
  uint64_t total_ = 0;
  uint32_t counter_ = 0;  // as read last
  bool is_known_ = false;
};

}  // namespace statmill
