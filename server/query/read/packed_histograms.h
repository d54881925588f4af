// PackedHistograms: the histograms of one chunk in few bytes: those of the journal's coding, in one array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

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
    size_t offset;  // of its first byte
  };
  std::vector<Place> places_;  // ascending
  std::string bytes_;
};

}  // namespace statmill
