// PackedHistograms: the histograms of one chunk in few bytes: the cells of all slots in two arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "server/query/read/packed_integers.h"
#include "storage/ids.h"
#include "storage/slot_histograms.h"

namespace statmill {

// Immutable.
class PackedHistograms {
 public:
  PackedHistograms() = default;
  // Requires: ascending slots, each once, no histogram empty.
  explicit PackedHistograms(std::span<const SlotHistogram> histograms);

  // Merges the histograms of slots [begin, end) into `out`, which ascends. Cost: some 3 ns per cell and an
  // allocation per histogram.
  void unpack_into(std::vector<SlotHistogram>& out, Slot begin, Slot end) const;
  size_t memory_bytes() const;  // on the heap

 private:
  struct Place {
    Slot slot;
    uint32_t first_cell;
    int32_t joined_power;
  };
  std::vector<Place> places_;  // ascending, and one more, of the end
  PackedIntegers indices_;
  PackedIntegers counts_;
};

}  // namespace statmill
