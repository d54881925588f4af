// Histogram codec: one histogram <-> bytes, fast, for the journal; all histograms of a chunk <-> as few bytes
// as possible (storage/FORMAT.md, "Histograms"). The bytes are the same on every CPU.
//
// The chunk's coding predicts each count from the same bucket and its neighbours in earlier slots, and range
// codes the outcome. Latencies of one service cost what independent Poisson counts of known means would,
// within a few per cent.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "storage/codec/histogram_window.h"
#include "storage/slot_histograms.h"

namespace statmill {

// Appends a histogram: one byte per cell if gaps and counts are small. Requires: not empty.
void encode_histogram(std::string& out, const SparseHistogram& histogram);
// Returns nullopt if no encoder writes such bytes. Allocates at most 16 times the bytes it is given.
std::optional<SparseHistogram> decode_histogram(Reader& in);
// Steps over a histogram. Returns false at bytes that no encoder writes; decode_histogram() refuses some
// more. Cost: 1 to 2 ns per cell.
bool skip_histogram(Reader& in);

// Limits of what a few bytes can make a decoder do: it allocates at most SparseHistogram::kCellsMax cells per
// slot, and works in proportion to the numbers below. Chunks that exceed them use the journal's coding, as do
// chunks with a joined histogram, and chunks of few slots if that is shorter.
inline constexpr size_t kPlacesPerCell = 256;  // buckets the model visits per cell, averaged over a chunk
inline constexpr size_t kPlacesSpare = 4096;   // buckets it may visit in addition, per chunk

// Requires: ascending slots >= first, each once, no histogram empty.
std::string encode_histograms(std::span<const SlotHistogram> histograms, Slot first);
// The same for the histograms of a window, nearly at the cost of a copy; flushes write this.
// Requires: run.first >= first.
std::string encode_histograms(const HistogramWindow::Run& run, Slot first);
// Returns nullopt if no encoder writes such bytes, or if slots are outside [first, first + slots). Damaged
// bytes may still decode to other histograms: frames have a checksum.
std::optional<std::vector<SlotHistogram>> decode_histograms(std::string_view bytes, Slot first, Slot slots);

}  // namespace statmill
