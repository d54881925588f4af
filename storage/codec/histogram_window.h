// HistogramWindow: the histograms of one series that are not in the store yet, as few bytes.
//
// Told as the journal tells them, a byte or two a cell, where a histogram takes 16 for each. Samples come
// mostly in order: the newest stays as it is, for it grows; what comes for an older slot goes to a short list
// of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/slot_histograms.h"

namespace statmill {

class HistogramWindow {
 public:
  // Requires: not empty.
  void add(Slot slot, const SparseHistogram& histogram);
  bool is_empty() const { return told_count_ == 0 && newest_.is_empty(); }
  // Codes the newest histogram, if that is not done yet.
  void close();

  // All of it as it stands in RAM; none when some came late. Valid until a change. Requires: nothing was
  // added since close(), not empty.
  struct Run {
    Slot first = 0;
    uint64_t count = 0;
    std::string_view bytes;  // the histograms, each but the first behind the number of empty slots before it
  };
  std::optional<Run> run() const;
  // Ascending, each slot once.
  std::vector<SlotHistogram> histograms() const;
  size_t memory_bytes() const;  // beside the object itself

 private:
  std::string told_;  // as Run::bytes
  uint64_t told_count_ = 0;
  Slot told_first_ = 0;
  Slot told_end_ = 0;  // behind the last that is told
  Slot newest_slot_ = 0;
  SparseHistogram newest_;           // empty: none is open
  std::vector<SlotHistogram> late_;  // for slots below the newest; ascending
  size_t late_bytes_ = 0;            // of their cells
};

}  // namespace statmill
