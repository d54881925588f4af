#include "storage/histogram.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace statmill {

std::optional<SparseHistogram> SparseHistogram::from_cells(std::vector<Cell> cells, int joined_power) {
  SM_CHECK(joined_power >= 0 && joined_power <= kJoinedPowerMax);
  if (cells.size() > kCellsMax) return std::nullopt;
  SparseHistogram out;
  out.joined_power_ = joined_power;
  HistogramIndex next = -kHistogramIndexMax;
  for (const Cell& cell : cells) {
    if (cell.index < next || cell.index > kHistogramIndexMax) return std::nullopt;
    if (cell.index != joined_index(cell.index, joined_power)) return std::nullopt;
    if (cell.count == 0 || cell.count > kCountMax - out.count_) return std::nullopt;
    out.count_ += cell.count;
    next = cell.index + 1;
  }
  out.cells_ = std::move(cells);
  return out;
}

void SparseHistogram::add(HistogramIndex index, uint64_t n) {
  SM_CHECK(is_histogram_index(index));
  n = std::min(n, kCountMax - count_);
  if (n == 0) return;
  count_ += n;
  index = joined_index(index, joined_power_);
  // Finds the last cell at or below the index, or the first cell.
  const Cell* at = cells_.data();
  for (size_t left = cells_.size(); left > 1;) {
    const size_t half = left / 2;
    at += at[half].index <= index ? half : 0;
    left -= half;
  }
  const auto place = cells_.begin() + (at - cells_.data());
  if (place != cells_.end() && place->index == index) {
    place->count += n;
  } else {
    cells_.insert(place + (place != cells_.end() && place->index < index ? 1 : 0), Cell{index, n});
    enforce_cell_limit();
  }
}

void SparseHistogram::join(int power) {
  joined_power_ = power;
  size_t kept = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const Cell cell{joined_index(cells_[i].index, power), cells_[i].count};
    if (kept > 0 && cells_[kept - 1].index == cell.index) {
      cells_[kept - 1].count += cell.count;
    } else {
      cells_[kept++] = cell;
    }
  }
  cells_.resize(kept);
}

// The order of merging does not matter: the sum of everything has to be joined at least this far.
void SparseHistogram::enforce_cell_limit() {
  while (cells_.size() > kCellsMax) join(joined_power_ + 1);
}

void SparseHistogram::merge(const SparseHistogram& other) {
  if (other.joined_power_ > joined_power_) join(other.joined_power_);
  if (other.joined_power_ < joined_power_) {
    SparseHistogram joined = other;
    joined.join(joined_power_);
    return merge(joined);
  }
  if (other.count_ > kCountMax - count_) {
    for (const Cell cell : std::vector(other.cells_)) add(cell.index, cell.count);  // `other` may be *this
    return;
  }
  size_t common = 0;
  for (size_t a = 0, b = 0; a < cells_.size() && b < other.cells_.size();) {
    const HistogramIndex x = cells_[a].index;
    const HistogramIndex y = other.cells_[b].index;
    common += x == y ? 1 : 0;
    a += x <= y ? 1 : 0;
    b += y <= x ? 1 : 0;
  }
  // Merges in place from the end, after making room for the new cells. Merging with itself adds none.
  size_t a = cells_.size();
  size_t b = other.cells_.size();
  cells_.resize(a + b - common);
  for (size_t out = cells_.size(); b > 0;) {
    const Cell& theirs = other.cells_[b - 1];
    if (a == 0 || cells_[a - 1].index < theirs.index) {
      cells_[--out] = theirs;
      --b;
    } else {
      Cell cell = cells_[--a];
      if (cell.index == theirs.index) {
        cell.count += theirs.count;
        --b;
      }
      cells_[--out] = cell;
    }
  }
  count_ += other.count_;
  enforce_cell_limit();
}

double SparseHistogram::percentile(double q, double min, double max) const {
  SM_CHECK(!is_empty() && q >= 0 && q <= 1 && min <= max);
  // q and the product each have a rounding error of up to 2^-53.
  constexpr double kLessRounding = 1 - 0x1p-51;
  const double product = q * static_cast<double>(count_) * kLessRounding;
  const uint64_t rank = std::clamp(static_cast<uint64_t>(std::ceil(product)), uint64_t{1}, count_);
  if (rank == 1) return min;
  if (rank == count_) return max;
  uint64_t below = 0;
  auto cell = cells_.begin();
  while (below + cell->count < rank) below += (cell++)->count;
  return std::clamp(histogram_midpoint(cell->index, joined_power_), min, max);
}

}  // namespace statmill
