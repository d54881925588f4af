// Decodes any bytes as the histograms of a chunk and as one histogram of the journal: they are refused, or
// valid histograms that survive a round trip. Histograms built from any bytes survive a round trip of the
// chunk coding.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "storage/codec/histogram_codec.h"

namespace {

using namespace statmill;

constexpr Slot kFirst = 7;
constexpr Slot kSlots = 2160;

void expect_unchanged(const std::vector<SlotHistogram>& chunk) {
  Slot next = kFirst;
  for (const SlotHistogram& h : chunk) {
    SM_CHECK(h.slot >= next && h.slot < kFirst + kSlots && !h.histogram.is_empty());
    next = h.slot + 1;
  }
  SM_CHECK(decode_histograms(encode_histograms(chunk, kFirst), kFirst, kSlots) == chunk);
}

// Checks that the coding of one histogram is canonical: it encodes to the bytes that it was decoded from.
void read_histogram(std::string_view bytes) {
  Reader in(bytes);
  const auto histogram = decode_histogram(in);
  if (!histogram) return;
  std::string again;
  encode_histogram(again, *histogram);
  SM_CHECK(again == bytes.substr(0, in.position()));
  Reader skipping(bytes);
  SM_CHECK(skip_histogram(skipping) && skipping.position() == in.position());
}

// Builds histograms from the bytes. Each slot reads a first index, the number of cells, the count of each
// cell and its distance from the next cell, then a byte for the distance to the next slot.
std::vector<SlotHistogram> make_chunk(std::string_view bytes) {
  Reader in(bytes);
  std::vector<SlotHistogram> chunk;
  Slot slot = kFirst;
  while (!in.done() && slot < kFirst + kSlots) {
    SparseHistogram histogram;
    HistogramIndex index = static_cast<HistogramIndex>(in.u16be()) - 32'768;
    for (int cells = in.u8() % 64; cells >= 0; --cells) {
      const uint64_t count = uint64_t{in.u8()} << (in.u8() % 46);
      histogram.add(index, count);
      index += 1 + in.u8() % 16;
    }
    if (!histogram.is_empty()) chunk.push_back({slot, std::move(histogram)});
    slot += in.u8() < 0xf0 ? 1 : 100;
  }
  return chunk;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto chunk = decode_histograms(bytes, kFirst, kSlots)) expect_unchanged(*chunk);
  read_histogram(bytes);
  expect_unchanged(make_chunk(bytes));
  return 0;
}
