#include "server/query/read/packed_chunk.h"

#include <algorithm>
#include <span>

#include "base/check.h"
#include "base/quotient.h"

namespace statmill {
namespace {

// Calls use(begin, end) with each run of present elements in [first, end).
template <class Use>
void for_each_run(const Presence& present, size_t first, size_t end, Use use) {
  for (size_t i = present.next(first); i < end;) {
    const size_t stop = std::min(present.next_absent(i), end);
    use(i, stop);
    i = present.next(stop);
  }
}

}  // namespace

std::optional<PackedChunk> PackedChunk::pack(const SlotColumns& columns) {
  if (columns.is_mixed) return std::nullopt;
  PackedChunk out;
  out.parts_ = columns.parts;
  out.histograms_ = PackedHistograms(columns.histograms);
  const size_t first = columns.present.next(0);
  if (first == columns.size()) return out;
  const size_t count = columns.present.previous(columns.size()) + 1 - first;
  out.begin_ = columns.begin + static_cast<Slot>(first);
  out.is_single_ = columns.is_single;
  out.scale_ = columns.scale;
  out.present_.reset(count, false);
  for_each_run(columns.present, first, first + count,
               [&](size_t begin, size_t end) { out.present_.set(begin - first, end - first); });
  out.is_full_ = out.present_.all();
  const auto pack = [&](const auto& values) {
    return PackedIntegers(std::span(values).subspan(first, count));
  };
  out.sums_ = pack(columns.sums);
  if (out.is_single_) return out;
  out.counts_ = pack(std::vector<int64_t>(columns.counts.begin(), columns.counts.end()));
  if (out.parts_.extremes) {
    out.mins_ = pack(columns.mins);
    out.maxs_ = pack(columns.maxs);
  }
  if (out.parts_.squares) {
    const auto begin = columns.squares.begin() + static_cast<ptrdiff_t>(first);
    out.squares_.assign(begin, begin + static_cast<ptrdiff_t>(count));
  }
  return out;
}

bool PackedChunk::has(const Parts& parts) const {
  if (parts.histograms && !parts_.histograms) return false;
  return is_single_ || ((parts_.extremes || !parts.extremes) && (parts_.squares || !parts.squares));
}

void PackedChunk::unpack_into(SlotColumns& out) const {
  const Slot first = std::max(begin_, out.begin);
  const Slot end = std::min(begin_ + static_cast<Slot>(present_.size()), out.end());
  if (first >= end) return;
  const Range range{static_cast<size_t>(first - begin_), static_cast<size_t>(first - out.begin),
                    static_cast<size_t>(end - first)};
  if (!present_.any(range.first, range.first + range.count)) return;
  if (out.parts.histograms) histograms_.unpack_into(out.histograms, first, end);
  if (unpack_fast(range, out)) return;
  SlotColumns columns(first, range.count,
                      {.extremes = parts_.extremes || is_single_, .squares = parts_.squares || is_single_});
  columns.scale = scale_;
  SM_CHECK(unpack_fast({range.first, 0, range.count}, columns));  // the same form and scale
  out.add(columns, Combine::kMerge);
}

void PackedChunk::unpack_present(const Range& range, SlotColumns& out) const {
  if (is_full_) return out.present.set(range.to, range.to + range.count);
  for_each_run(present_, range.first, range.first + range.count, [&](size_t begin, size_t end) {
    out.present.set(begin - range.first + range.to, end - range.first + range.to);
  });
}

// Returns false, and changes no number, if the forms differ or no scale suits both.
bool PackedChunk::unpack_fast(const Range& range, SlotColumns& out) const {
  if (out.is_mixed || (!out.is_single && is_single_)) return false;
  if (scale_ > out.scale && !out.raise_scale(scale_)) return false;
  if (out.parts.squares && !is_single_ && scale_ != out.scale) return false;
  const int64_t factor = power_of_ten(out.scale - scale_);
  if (!sums_.fits(factor) || !mins_.fits(factor) || !maxs_.fits(factor)) return false;
  if (!is_single_) out.make_counted();
  unpack_present(range, out);
  const auto unpack = [&](const PackedIntegers& from, std::vector<int64_t>& to) {
    int64_t* const first = to.data() + range.to;
    from.unpack(range.first, range.count, first);
    if (factor == 1) return;
    for (size_t i = 0; i < range.count; ++i) first[i] *= factor;
  };
  unpack(sums_, out.sums);
  if (is_single_) return true;
  // Signed and unsigned integers may share memory.
  counts_.unpack(range.first, range.count, reinterpret_cast<int64_t*>(out.counts.data() + range.to));
  if (out.parts.extremes) {
    unpack(mins_, out.mins);
    unpack(maxs_, out.maxs);
  }
  if (out.parts.squares) {
    const auto first = squares_.begin() + static_cast<ptrdiff_t>(range.first);
    std::copy_n(first, range.count, out.squares.begin() + static_cast<ptrdiff_t>(range.to));
  }
  return true;
}

size_t PackedChunk::memory_bytes() const {
  return sizeof(*this) + present_.words().size() * sizeof(uint64_t) + sums_.bytes() + counts_.bytes() +
         mins_.bytes() + maxs_.bytes() + squares_.size() * sizeof(Int128) + histograms_.memory_bytes();
}

}  // namespace statmill
