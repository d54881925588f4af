// PackedChunk: the decoded buckets of one chunk in few bytes: each decimal as its distance from the least
// one, in 1, 2, 4 or 8 bytes; squares as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "server/query/read/packed_histograms.h"
#include "server/query/read/packed_integers.h"
#include "storage/slot_columns.h"

namespace statmill {

// Immutable.
class PackedChunk {
 public:
  // Returns nullopt if the columns are mixed, which is not packed.
  static std::optional<PackedChunk> pack(const SlotColumns& columns);

  // Returns whether the chunk has all of these parts.
  bool has(const Parts& parts) const;
  // The parts that were in the columns.
  const Parts& parts() const { return parts_; }
  // Adds the buckets of the chunk that lie in the range of `out`. Requires: has(out.parts); `out` has nothing
  // in the slots of this chunk.
  void unpack_into(SlotColumns& out) const;
  size_t memory_bytes() const;

 private:
  PackedChunk() = default;
  struct Range {
    size_t first;  // element of this chunk
    size_t to;     // element of the output
    size_t count;
  };
  void unpack_present(const Range& range, SlotColumns& out) const;
  bool unpack_fast(const Range& range, SlotColumns& out) const;

  // From the first present slot to the last one.
  Slot begin_ = 0;
  Parts parts_;
  bool is_single_ = true;
  bool is_full_ = false;  // all slots are present
  int8_t scale_ = 0;
  Presence present_;
  PackedIntegers sums_;
  PackedIntegers counts_;  // unless is_single_
  PackedIntegers mins_;    // unless is_single_, if parts_.extremes
  PackedIntegers maxs_;
  std::vector<Int128> squares_;  // unless is_single_, if parts_.squares
  PackedHistograms histograms_;  // if parts_.histograms
};

}  // namespace statmill
