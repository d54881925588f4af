// Histograms <-> bytes: one alone, quickly, for the journal; the slots of a chunk together, in as few bytes
// as their counts are worth (storage/FORMAT.md, "Histograms"). Identical on every CPU.
//
// The chunk's coding foretells each count from the same bucket and its neighbours in the slots before, and
// range codes how it comes out. Latencies of one service cost what independent Poisson counts of known means
// would, to a few per cent.
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

// Appends a histogram; one byte per cell while gaps and counts are small. Requires: not empty.
void encode_histogram(std::string& out, const SparseHistogram& histogram);
// None when the bytes are not what an encoder writes. Allocates 16 times the bytes there are, at most.
std::optional<SparseHistogram> decode_histogram(Reader& in);

// What has joined buckets is told as it is told to the journal, and all others of its chunk with it; so are
// few slots, if that is shorter. What a decoder of few bytes can be made to allocate is bounded by
// SparseHistogram::kCellsMax for each slot, and its work by these.
inline constexpr size_t kPlacesPerCell = 256;  // looked at while modelling, on average over a chunk
inline constexpr size_t kPlacesSpare = 4096;   // and these once

// Requires: ascending slots >= first, each once; no histogram is empty.
std::string encode_histograms(std::span<const SlotHistogram> histograms, Slot first);
// The same of a window's, nearly as they stand: what a flush writes, for the price of a copy. Requires: not
// before `first`.
std::string encode_histograms(const HistogramWindow::Run& run, Slot first);
// None when the bytes are not an encoder's, or have slots outside [first, first + slots). Bytes that are
// damaged may still decode to other histograms: frames have a checksum.
std::optional<std::vector<SlotHistogram>> decode_histograms(std::string_view bytes, Slot first, Slot slots);

}  // namespace statmill
