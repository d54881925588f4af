// encode_x and decode_x mirror each other; the model is one template for both.
#include "storage/codec/histogram_codec.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"
#include "storage/codec/histogram_model.h"
#include "storage/codec/range_coder.h"

namespace statmill {
namespace {

// A cell: gap and count, each less its minimum, in half a byte each; 15 means that the rest follows.
constexpr uint64_t kNibbleMax = 15;

// The first byte of a chunk's histograms.
constexpr uint8_t kPlain = 1;
constexpr uint8_t kModelled = 2;

// Replaces the number of cells, which is never 0, if buckets are joined; the power follows.
constexpr uint8_t kJoined = 0;

// Exceeds the distance of any two indices.
constexpr int64_t kDistanceMax = 2 * kHistogramIndexMax + 1;

// Up to this many slots the plain coding may be shorter.
constexpr size_t kFewSlots = 8;

void encode_cell(Writer& out, uint64_t gap, uint64_t count) {
  out.u8(static_cast<uint8_t>(std::min(gap, kNibbleMax) << 4 | std::min(count, kNibbleMax)));
  if (gap >= kNibbleMax) out.varint(gap - kNibbleMax);
  if (count >= kNibbleMax) out.varint(count - kNibbleMax);
}

// Reads a varint that has the fewest bytes; any other makes the reader fail.
uint64_t shortest_varint(Reader& in, bool& bad) {
  const size_t begin = in.position();
  const uint64_t v = in.varint();
  const auto bytes = static_cast<size_t>(std::max(width_of(v) + 6, 7) / 7);
  bad = bad || in.failed() || in.position() - begin != bytes;
  return v;
}

// Reads a cell's gap or count: its half byte, and the rest that may follow.
uint64_t decode_rest(Reader& in, uint64_t nibble, bool& bad) {
  if (nibble < kNibbleMax) return nibble;
  const uint64_t rest = shortest_varint(in, bad);
  bad = bad || rest > SparseHistogram::kCountMax;
  return nibble + rest;
}

uint64_t places_max(uint64_t cells) { return kPlacesSpare + cells * kPlacesPerCell; }

std::string encode_plain(std::span<const SlotHistogram> histograms, Slot first) {
  std::string bytes;
  Writer out(bytes);
  out.u8(kPlain);
  out.varint(histograms.size());
  for (const SlotHistogram& h : histograms) {
    out.varint(static_cast<uint64_t>(h.slot - first));
    first = h.slot + 1;
    encode_histogram(bytes, h.histogram);
  }
  return bytes;
}

// The slots of the chunk that have not been read yet.
struct SlotsLeft {
  Slot first = 0;
  uint64_t slots = 0;

  // Returns the slot after a gap and advances past it; nullopt if it is beyond the chunk.
  std::optional<Slot> consume(uint64_t gap) {
    if (gap >= slots) return std::nullopt;
    const Slot slot = first + static_cast<Slot>(gap);
    first = slot + 1;
    slots -= gap + 1;
    return slot;
  }
};

std::optional<std::vector<SlotHistogram>> decode_plain(Reader& in, uint64_t n, SlotsLeft left) {
  if (n > in.remaining()) return std::nullopt;
  std::vector<SlotHistogram> out;
  out.reserve(n);
  bool bad = false;
  for (; n > 0; --n) {
    const auto slot = left.consume(shortest_varint(in, bad));
    auto histogram = slot && !bad ? decode_histogram(in) : std::nullopt;
    if (!histogram) return std::nullopt;
    out.push_back({*slot, std::move(*histogram)});
  }
  if (!in.done()) return std::nullopt;
  return out;
}

// Returns an empty string if this coding cannot hold the histograms.
std::string encode_modelled(std::span<const SlotHistogram> histograms, Slot first) {
  uint64_t cells = 0;
  for (const SlotHistogram& h : histograms) {
    if (h.histogram.joined_power() > 0) return {};
    cells += h.histogram.cells().size();
  }
  std::string bytes;
  Writer out(bytes);
  out.u8(kModelled);
  out.varint(histograms.size());
  out.varint(cells);
  const auto model = std::make_unique<HistogramModel<RangeEncoder>>(RangeEncoder(bytes), places_max(cells));
  for (const SlotHistogram& h : histograms) {
    model->code_gap(static_cast<uint64_t>(h.slot - first));
    first = h.slot + 1;
    if (!model->code(h.histogram)) return {};
  }
  model->coder().finish();
  return bytes;
}

std::optional<std::vector<SlotHistogram>> decode_modelled(Reader& in, uint64_t n, SlotsLeft left) {
  bool bad = false;
  uint64_t cells = shortest_varint(in, bad);
  if (bad || n == 0 || cells < n || cells > SparseHistogram::kCellsMax * n) return std::nullopt;
  const auto model =
      std::make_unique<HistogramModel<RangeDecoder>>(RangeDecoder(in.rest()), places_max(cells));
  std::vector<SlotHistogram> out;
  for (; n > 0; --n) {
    const auto slot = left.consume(model->code_gap(0));
    if (!slot || !model->code({}) || model->coder().overrun()) return std::nullopt;
    auto histogram = SparseHistogram::from_cells(model->release_cells());
    if (!histogram || histogram->cells().size() > cells) return std::nullopt;
    cells -= histogram->cells().size();
    out.push_back({*slot, std::move(*histogram)});
  }
  if (cells != 0 || !model->coder().done()) return std::nullopt;
  return out;
}

// Reads a histogram: calls begin(number of cells), then take(index, count) for each. Returns false if no
// encoder writes such bytes.
template <class Begin, class Take>
bool read_cells(Reader& in, uint8_t& joined_power, Begin begin, Take take) {
  bool bad = false;
  uint64_t n = shortest_varint(in, bad);
  if (n == kJoined) {
    joined_power = in.u8();
    bad = bad || joined_power == 0 || joined_power > kJoinedPowerMax;
    n = shortest_varint(in, bad);
  }
  const auto first = static_cast<int64_t>(unzigzag(shortest_varint(in, bad)));
  if (bad || n == 0 || n > in.remaining() || first < -kDistanceMax || first > kDistanceMax) return false;
  begin(n);
  int64_t next = first + kHistogramIndexOfOne;
  for (uint64_t i = 0; i < n; ++i) {
    const uint8_t head = in.u8();
    const uint64_t gap = decode_rest(in, head >> 4, bad);
    const uint64_t count = decode_rest(in, head & kNibbleMax, bad) + 1;
    if (bad || in.failed() || gap > uint64_t{kDistanceMax} || (i == 0 && gap != 0)) return false;
    next += static_cast<int64_t>(gap);
    if (next < -kHistogramIndexMax || next > kHistogramIndexMax) return false;
    take(static_cast<HistogramIndex>(next), count);
    ++next;
  }
  return true;
}

}  // namespace

void encode_histogram(std::string& bytes, const SparseHistogram& histogram) {
  SM_CHECK(!histogram.is_empty());
  Writer out(bytes);
  const auto cells = histogram.cells();
  if (histogram.joined_power() > 0) {
    out.u8(kJoined);
    out.u8(static_cast<uint8_t>(histogram.joined_power()));
  }
  out.varint(cells.size());
  HistogramIndex next = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i == 0) {
      out.svarint(cells[i].index - kHistogramIndexOfOne);
      next = cells[i].index;
    }
    encode_cell(out, static_cast<uint64_t>(cells[i].index - next), cells[i].count - 1);
    next = cells[i].index + 1;
  }
}

std::optional<SparseHistogram> decode_histogram(Reader& in) {
  std::vector<SparseHistogram::Cell> cells;
  uint8_t joined_power = 0;
  const auto take = [&](HistogramIndex index, uint64_t count) { cells.push_back({index, count}); };
  if (!read_cells(
          in, joined_power, [&](uint64_t n) { cells.reserve(n); }, take))
    return std::nullopt;
  return SparseHistogram::from_cells(std::move(cells), joined_power);
}

bool skip_histogram(Reader& in) {
  uint8_t joined_power = 0;
  return read_cells(
      in, joined_power, [](uint64_t) {}, [](HistogramIndex, uint64_t) {});
}

std::string encode_histograms(std::span<const SlotHistogram> histograms, Slot first) {
  Slot next = first;
  for (const SlotHistogram& h : histograms) {
    SM_CHECK(h.slot >= next && !h.histogram.is_empty());
    next = h.slot + 1;
  }
  if (histograms.empty()) return encode_plain(histograms, first);
  std::string modelled = encode_modelled(histograms, first);
  if (!modelled.empty() && histograms.size() > kFewSlots) return modelled;
  std::string plain = encode_plain(histograms, first);
  return modelled.empty() || plain.size() <= modelled.size() ? plain : modelled;
}

std::string encode_histograms(const HistogramWindow::Run& run, Slot first) {
  SM_CHECK(run.first >= first);
  std::string bytes;
  Writer out(bytes);
  out.u8(kPlain);
  out.varint(run.count);
  out.varint(static_cast<uint64_t>(run.first - first));
  out.bytes(run.bytes);
  return bytes;
}

std::optional<std::vector<SlotHistogram>> decode_histograms(std::string_view bytes, Slot first, Slot slots) {
  Reader in(bytes);
  const uint8_t version = in.u8();
  bool bad = false;
  const uint64_t n = shortest_varint(in, bad);
  if (bad || slots < 0 || n > static_cast<uint64_t>(slots)) return std::nullopt;
  const SlotsLeft left{first, static_cast<uint64_t>(slots)};
  if (version == kPlain) return decode_plain(in, n, left);
  return version == kModelled ? decode_modelled(in, n, left) : std::nullopt;
}

}  // namespace statmill
