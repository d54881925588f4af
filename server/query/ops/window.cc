#include "server/query/ops/window.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/int128.h"
#include "server/query/ops/column_sum.h"
#include "server/query/ops/rates.h"
#include "storage/histogram_accumulator.h"

namespace statmill {
namespace {

using Windows = std::span<const SlotWindow>;

// Calls store(w, sum) with the sum of load(i) over each window. Integers may be subtracted again, exactly.
template <class Sum, class Load, class Store>
void sum_windows(Windows windows, Load load, Store store) {
  Sum sum = 0;
  uint32_t begin = 0;  // `sum` is of [begin, end)
  uint32_t end = 0;
  for (size_t w = 0; w < windows.size(); ++w) {
    const SlotWindow window = windows[w];
    if (window.begin >= end) {
      sum = 0;
      begin = end = window.begin;
    }
    for (; end < window.end; ++end) sum += load(end);
    for (; begin < window.begin; ++begin) sum -= load(begin);
    store(w, sum);
  }
}

// Calls store(w, merged) with the merge of load(i) over each window, for what cannot be subtracted. The
// elements are cut at `middle`: before it, `heads` has the merge from each element to the cut; `tail` is the
// merge from the cut on. When a window begins after the cut, the cut moves to its end. So each element is
// merged twice, and each window once.
template <class T, class Load, class Merge, class Store>
void slide_windows(Windows windows, Load load, Merge merge, Store store) {
  std::vector<T> heads;
  uint32_t heads_begin = 0;
  uint32_t middle = 0;
  uint32_t end = 0;
  T tail{};
  for (size_t w = 0; w < windows.size(); ++w) {
    const SlotWindow window = windows[w];
    if (window.begin >= end) {
      tail = T{};
      middle = end = window.begin;
    }
    for (; end < window.end; ++end) merge(tail, load(end));
    if (window.begin > middle) {
      heads.resize(end - window.begin);
      T head{};
      for (uint32_t i = end; i > window.begin; --i) {
        merge(head, load(i - 1));
        heads[i - 1 - window.begin] = head;
      }
      heads_begin = window.begin;
      middle = end;
      tail = T{};
    }
    if (window.begin == middle) {
      store(w, tail);
      continue;
    }
    T merged = heads[window.begin - heads_begin];
    merge(merged, tail);
    store(w, std::move(merged));
  }
}

// Returns the number of bits of the longest window's length.
int length_bits(Windows windows) {
  uint32_t longest = 0;
  for (const SlotWindow& w : windows) longest = std::max(longest, w.end - w.begin);
  return static_cast<int>(std::bit_width(longest));
}

// Returns a number of bits in which the magnitude of each integer fits.
int magnitude_bits(const std::vector<int64_t>& integers) {
  return static_cast<int>(std::bit_width(magnitude_bound(integers) - 1));
}

// Int128 has room for the squares of any window and the next one: their sum is on the way between them.
bool squares_fit(const SlotColumns& slots, Windows windows) {
  int width = 0;  // bits of the largest square
  if (slots.is_single) {
    width = 2 * magnitude_bits(slots.sums) + 1;
  } else {
    Uint128 bits = 0;
    for (const Int128 q : slots.squares) bits |= static_cast<Uint128>(q);
    const auto high = static_cast<uint64_t>(bits >> 64);
    width = 64 + static_cast<int>(std::bit_width(high));
  }
  return width + length_bits(windows) + 1 <= 127;
}

bool count_windows(const SlotColumns& slots, Windows windows, SlotColumns& out) {
  bool fits = true;
  const auto store = [&](size_t w, uint64_t count) {
    if (count == 0) return;
    out.present.set(w);
    out.counts[w] = count;
    fits &= count < Bucket::kCountMax;
  };
  if (!slots.is_single) {
    const uint64_t* const counts = slots.counts.data();
    sum_windows<uint64_t>(
        windows, [=](uint32_t i) { return counts[i]; }, store);
  } else if (slots.present.all()) {
    for (size_t w = 0; w < windows.size(); ++w) store(w, windows[w].end - windows[w].begin);
  } else {
    const uint64_t* const words = slots.present.words().data();
    sum_windows<uint64_t>(
        windows, [=](uint32_t i) { return words[i / 64] >> (i % 64) & 1; }, store);
  }
  return fits;
}

bool add_sums(const SlotColumns& slots, Windows windows, SlotColumns& out) {
  bool fits = true;
  const int64_t* const sums = slots.sums.data();
  int64_t* const out_sums = out.sums.data();
  // On the way from one window to the next, the sum is of both.
  if (magnitude_bits(slots.sums) + length_bits(windows) + 1 < 63) {
    sum_windows<int64_t>(
        windows, [=](uint32_t i) { return sums[i]; }, [=](size_t w, int64_t sum) { out_sums[w] = sum; });
    return true;
  }
  sum_windows<Int128>(
      windows, [=](uint32_t i) { return sums[i]; },
      [&fits, out_sums](size_t w, Int128 sum) {
        out_sums[w] = static_cast<int64_t>(sum);
        fits &= sum == out_sums[w];
      });
  return fits;
}

void add_squares(const SlotColumns& slots, Windows windows, SlotColumns& out) {
  out.squares.resize(windows.size());
  Int128* const out_squares = out.squares.data();
  const auto store = [=](size_t w, Int128 squares) { out_squares[w] = squares; };
  if (slots.is_single) {
    const int64_t* const sums = slots.sums.data();
    sum_windows<Int128>(
        windows, [=](uint32_t i) { return Int128{sums[i]} * sums[i]; }, store);
  } else {
    const Int128* const squares = slots.squares.data();
    sum_windows<Int128>(
        windows, [=](uint32_t i) { return squares[i]; }, store);
  }
}

void take_extremes(const SlotColumns& slots, Windows windows, SlotColumns& out) {
  struct Extremes {
    int64_t min = std::numeric_limits<int64_t>::max();
    int64_t max = std::numeric_limits<int64_t>::min();
  };
  const int64_t* const mins = slots.stored_mins()->data();
  const int64_t* const maxs = slots.stored_maxs()->data();
  const uint64_t* const words = slots.present.words().data();
  out.mins.resize(windows.size());
  out.maxs.resize(windows.size());
  const auto merge = [](Extremes& a, const Extremes& b) {
    a.min = std::min(a.min, b.min);
    a.max = std::max(a.max, b.max);
  };
  const auto store = [&out](size_t w, const Extremes& e) {
    if (!out.present[w]) return;
    out.mins[w] = e.min;
    out.maxs[w] = e.max;
  };
  if (slots.present.all()) {
    return slide_windows<Extremes>(
        windows,
        [=](uint32_t i) {
          return Extremes{mins[i], maxs[i]};
        },
        merge, store);
  }
  slide_windows<Extremes>(
      windows,
      [=](uint32_t i) {
        return (words[i / 64] >> (i % 64) & 1) != 0 ? Extremes{mins[i], maxs[i]} : Extremes{};
      },
      merge, store);
}

void merge_buckets(const SlotColumns& slots, Windows windows, SlotColumns& out) {
  out.make_mixed();
  slide_windows<Bucket>(
      windows, [&](uint32_t i) { return slots.bucket_at(i); }, [](Bucket& a, const Bucket& b) { a.merge(b); },
      [&](size_t w, const Bucket& bucket) {
        if (bucket.is_empty()) return;
        out.present.set(w);
        out.mixed[w] = bucket;
      });
}

// Returns the same windows over the list of histograms.
std::vector<SlotWindow> windows_of_list(const SlotColumns& slots, Windows windows) {
  const std::vector<SlotHistogram>& all = slots.histograms;
  std::vector<SlotWindow> of_list(windows.size());
  SlotWindow at;
  for (size_t w = 0; w < windows.size(); ++w) {
    const auto skip_to = [&](uint32_t& i, uint32_t element) {
      while (i < all.size() && all[i].slot < slots.begin + Slot{element}) ++i;
    };
    skip_to(at.begin, windows[w].begin);
    skip_to(at.end, windows[w].end);
    of_list[w] = at;
  }
  return of_list;
}

// Returns true if there are so many cells that walking over their range for each window costs no more.
bool are_dense(std::span<const SlotHistogram> all, Windows windows) {
  constexpr size_t kStepsPerCell = 32;
  size_t cells = 0;
  HistogramIndex least = kHistogramIndexMax;
  HistogramIndex most = -kHistogramIndexMax;
  for (const SlotHistogram& h : all) {
    cells += h.histogram.cells().size();
    least = std::min(least, h.histogram.cells().front().index);
    most = std::max(most, h.histogram.cells().back().index);
  }
  return windows.size() * static_cast<size_t>(most - least + 1) <= kStepsPerCell * cells;
}

// Returns false if the histograms have no such sum; `out` has those of some windows then.
bool sum_histograms(std::span<const SlotHistogram> all, Windows windows, std::vector<SlotHistogram>& out) {
  HistogramAccumulator sum;
  uint32_t begin = 0;  // `sum` is of [begin, end)
  uint32_t end = 0;
  for (size_t w = 0; w < windows.size(); ++w) {
    const SlotWindow window = windows[w];
    if (window.begin >= end) {
      sum.clear();
      begin = end = window.begin;
      if (window.end - window.begin == 1) {
        out.push_back({static_cast<Slot>(w), all[begin].histogram});
        continue;
      }
    }
    for (; end < window.end; ++end) sum.add(all[end].histogram);
    if (!sum.can_subtract()) return false;
    for (; begin < window.begin; ++begin) sum.subtract(all[begin].histogram);
    if (!sum.is_empty()) out.push_back({static_cast<Slot>(w), sum.histogram()});
  }
  return true;
}

void merge_histograms(const SlotColumns& slots, Windows windows, SlotColumns& out) {
  const std::vector<SlotHistogram>& all = slots.histograms;
  const std::vector<SlotWindow> of_list = windows_of_list(slots, windows);
  if (are_dense(all, of_list) && sum_histograms(all, of_list, out.histograms)) return;
  out.histograms.clear();
  slide_windows<SparseHistogram>(
      of_list, [&](uint32_t i) -> const SparseHistogram& { return all[i].histogram; },
      [](SparseHistogram& a, const SparseHistogram& b) { a.merge(b); },
      [&](size_t w, SparseHistogram histogram) {
        if (!histogram.is_empty()) out.histograms.push_back({static_cast<Slot>(w), std::move(histogram)});
      });
}

// Returns false if a number may not fit; `out` is then of no use.
bool merge_decimals(const SlotColumns& slots, Windows windows, SlotColumns& out) {
  if (slots.parts.squares && !squares_fit(slots, windows)) return false;
  out.scale = slots.scale;
  out.is_single = false;
  out.counts.resize(windows.size());
  if (!count_windows(slots, windows, out) || !add_sums(slots, windows, out)) return false;
  if (slots.parts.extremes) take_extremes(slots, windows, out);
  if (slots.parts.squares) add_squares(slots, windows, out);
  return true;
}

// Copies the element of each window that is one slot; the others are empty.
void copy_elements(const SlotColumns& slots, Windows windows, SlotColumns& out) {
  out.scale = slots.scale;
  out.is_single = slots.is_single;
  out.is_mixed = slots.is_mixed;
  const auto copy = [&](const auto& from, auto& to) {
    if (from.empty()) return to.clear();
    to.assign(windows.size(), {});
    for (size_t w = 0; w < windows.size(); ++w) {
      if (windows[w].begin < windows[w].end) to[w] = from[windows[w].begin];
    }
  };
  for (size_t w = 0; w < windows.size(); ++w) {
    if (windows[w].begin < windows[w].end && slots.present[windows[w].begin]) out.present.set(w);
  }
  copy(slots.mixed, out.mixed);
  copy(slots.sums, out.sums);
  copy(slots.counts, out.counts);
  copy(slots.mins, out.mins);
  copy(slots.maxs, out.maxs);
  copy(slots.squares, out.squares);
}

}  // namespace

SlotColumns merge_windows(const SlotColumns& slots, Windows windows) {
  SlotColumns out(0, windows.size(), slots.parts);
  if (!slots.histograms.empty()) merge_histograms(slots, windows, out);
  if (std::all_of(windows.begin(), windows.end(), [](SlotWindow w) { return w.end - w.begin <= 1; })) {
    copy_elements(slots, windows, out);
    return out;
  }
  if (!slots.is_mixed && merge_decimals(slots, windows, out)) return out;
  std::vector<SlotHistogram> histograms = std::move(out.histograms);
  out = SlotColumns(0, windows.size(), slots.parts);
  out.histograms = std::move(histograms);
  merge_buckets(slots, windows, out);
  return out;
}

SlotColumns roll_up(const SlotColumns& fine, const Tier& from, const Tier& to, Kind kind) {
  SM_CHECK(fine.begin >= 0);
  const int64_t ratio = to.step_s / from.step_s;
  const Slot first = fine.begin / ratio;
  const Slot last = (fine.end() + ratio - 1) / ratio;
  std::vector<SlotWindow> windows;
  for (Slot slot = first; slot < last; ++slot) {
    const auto element = [&](Slot s) {
      return static_cast<uint32_t>(std::clamp(s, fine.begin, fine.end()) - fine.begin);
    };
    windows.push_back({element(slot * ratio), element((slot + 1) * ratio)});
  }
  SlotColumns out =
      adds_up(kind) ? merge_windows(rate_columns(fine, from.step_s), windows) : merge_windows(fine, windows);
  out.begin = first;
  for (SlotHistogram& h : out.histograms) h.slot += first;
  return out;
}

}  // namespace statmill
