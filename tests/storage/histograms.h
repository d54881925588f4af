// Histograms for tests: by hand, and generated.
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "base/check.h"
#include "storage/histogram.h"

namespace statmill {

// Requires: cells that a histogram could hold.
inline SparseHistogram histogram_of(std::vector<SparseHistogram::Cell> cells) {
  auto made = SparseHistogram::from_cells(std::move(cells));
  SM_CHECK(made.has_value());
  return *made;
}

// Clusters like those of latencies, and cells anywhere, with counts of few bits or many; may be empty.
// Hundreds of them merge without exceeding a limit.
inline rc::Gen<SparseHistogram> histograms() {
  const auto index = rc::gen::oneOf(rc::gen::inRange(33'300, 33'340), rc::gen::inRange(33'000, 33'800),
                                    rc::gen::inRange(-40, 40),
                                    rc::gen::inRange(-kHistogramIndexMax, kHistogramIndexMax + 1));
  const auto count = rc::gen::map(rc::gen::pair(rc::gen::inRange(0, 36), rc::gen::arbitrary<uint64_t>()),
                                  [](const std::pair<int, uint64_t>& p) {
                                    const int bits = p.first < 18 ? p.first % 4 : p.first;
                                    return 1 + (p.second & ((uint64_t{1} << bits) - 1));
                                  });
  return rc::gen::map(
      rc::gen::container<std::vector<std::pair<HistogramIndex, uint64_t>>>(rc::gen::pair(index, count)),
      [](const std::vector<std::pair<HistogramIndex, uint64_t>>& cells) {
        SparseHistogram out;
        for (const auto& [i, n] : cells) out.add(i, n);
        return out;
      });
}

// The same, but never empty.
inline rc::Gen<SparseHistogram> some_histograms() {
  return rc::gen::suchThat(histograms(), [](const SparseHistogram& h) { return !h.is_empty(); });
}

}  // namespace statmill
