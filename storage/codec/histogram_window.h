// HistogramWindow: the histograms of one series that are not in the store yet, in few bytes.
//
// Closed histograms are encoded as in the journal, a byte or two per cell instead of 16. Samples arrive
// mostly in order, so the newest histogram stays open for more; what arrives for older slots goes to a list.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/codec/late_items.h"
#include "storage/slot_histograms.h"

namespace statmill {

class HistogramWindow {
 public:
  // Requires: not empty.
  void add(Slot slot, const SparseHistogram& histogram);
  bool is_empty() const { return encoded_count_ == 0 && newest_.is_empty(); }
  // Encodes the newest histogram, if that is not done yet.
  void close();

  // All histograms, as encoded in RAM; nullopt if some arrived late. Valid until the next change.
  // Requires: not empty, nothing added since close().
  struct Run {
    Slot first = 0;
    uint64_t count = 0;
    std::string_view bytes;  // the histograms; each but the first follows the number of empty slots before it
  };
  std::optional<Run> run() const;
  // Those of slots in [begin, end), ascending, each slot once. Cost: steps over those before.
  std::vector<SlotHistogram> histograms(Slot begin = std::numeric_limits<Slot>::min(),
                                        Slot end = std::numeric_limits<Slot>::max()) const;
  size_t memory_bytes() const;  // on the heap

 private:
  // Where decoding may begin, near the end, so that a reader of the last minute need not decode an hour.
  struct Mark {
    size_t offset = 0;   // where the number of empty slots before the next histogram begins
    Slot slot = 0;       // the slot of the histogram that ends at `offset`
    uint64_t count = 0;  // how many histograms end there or before
  };
  static constexpr size_t kMarkBytes = 512;  // from one mark to the next

  std::string encoded_;  // as Run::bytes
  uint64_t encoded_count_ = 0;
  std::array<Mark, 2> marks_{};  // newest first; a count of 0: none
  Slot encoded_first_ = 0;
  Slot encoded_end_ = 0;  // one after the last encoded slot
  Slot newest_slot_ = 0;
  SparseHistogram newest_;         // empty if none is open
  LateItems<SlotHistogram> late_;  // for slots below the newest
  size_t late_bytes_ = 0;          // heap bytes of their cells
};

}  // namespace statmill
