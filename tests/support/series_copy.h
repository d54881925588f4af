// SeriesCopy: what a table has of one series, decoded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/table/table.h"

namespace statmill {

struct SeriesCopy : SeriesPieces {
  std::vector<SlotBucket> unflushed;         // deltas and pending, combined
  std::vector<SlotBucket> flushing_buckets;  // without what is being erased
  std::vector<SlotHistogram> histograms;     // only of a distribution, for the slots of `unflushed`
};

// Returns nullopt if no series has that name.
inline std::optional<SeriesCopy> copy_of(const Table& table, std::string_view name) {
  auto pieces = table.pieces(name, true);
  if (!pieces) return std::nullopt;
  SeriesCopy out{*std::move(pieces), {}, {}, {}};
  out.unflushed = out.pending.buckets(out.combine());
  if (out.pending.histograms() != nullptr) out.histograms = out.pending.histograms()->histograms();
  for (const SeriesPieces::Delta& delta : out.deltas) {
    combine_into(out.unflushed, delta.buckets, out.combine());
    merge_into(out.histograms, delta.histograms);
  }
  out.flushing_buckets = out.flushing.buckets(out.combine());
  std::erase_if(out.flushing_buckets, [&](const SlotBucket& b) { return out.erased.has(b.slot); });
  return out;
}

}  // namespace statmill
