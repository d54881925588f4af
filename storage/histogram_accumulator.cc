#include "storage/histogram_accumulator.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

constexpr HistogramIndex kRoom = 32;  // the range grows by multiples of this

HistogramIndex round_down(HistogramIndex index) {
  return (index - (index < 0 ? kRoom - 1 : 0)) / kRoom * kRoom;
}

}  // namespace

bool HistogramAccumulator::make_room(HistogramIndex least, HistogramIndex most) {
  const auto end = first_ + static_cast<HistogramIndex>(counts_.size());
  if (least >= first_ && most < end) return true;
  HistogramIndex new_first = round_down(least);
  HistogramIndex new_end = round_down(most) + kRoom;
  if (!counts_.empty()) {
    new_first = std::min(new_first, first_);
    new_end = std::max(new_end, end);
  }
  if (new_end - new_first > kRangeMax) return false;
  counts_.reserve(static_cast<size_t>(new_end - new_first));
  if (!counts_.empty()) counts_.insert(counts_.begin(), static_cast<size_t>(first_ - new_first), 0);
  counts_.resize(static_cast<size_t>(new_end - new_first));
  first_ = new_first;
  return true;
}

bool HistogramAccumulator::add_dense(const SparseHistogram& histogram) {
  const auto cells = histogram.cells();
  if (histogram.joined_power() > 0 || histogram.count() > SparseHistogram::kCountMax - count_) return false;
  if (!make_room(cells.front().index, cells.back().index)) return false;
  uint64_t* const counts = counts_.data();
  for (const SparseHistogram::Cell& cell : cells) counts[cell.index - first_] += cell.count;
  count_ += histogram.count();
  return true;
}

void HistogramAccumulator::add(const SparseHistogram& histogram) {
  if (histogram.is_empty()) return;
  if (is_dense_) {
    if (add_dense(histogram)) return;
    sparse_ = this->histogram();
    is_dense_ = false;
    counts_ = {};
  }
  sparse_.merge(histogram);
}

void HistogramAccumulator::subtract(const SparseHistogram& histogram) {
  SM_CHECK(is_dense_ && histogram.count() <= count_);
  for (const SparseHistogram::Cell& cell : histogram.cells())
    counts_[static_cast<size_t>(cell.index - first_)] -= cell.count;
  count_ -= histogram.count();
}

void HistogramAccumulator::clear() {
  if (!is_dense_) *this = {};
  if (count_ == 0) return;
  std::fill(counts_.begin(), counts_.end(), 0);
  count_ = 0;
}

SparseHistogram HistogramAccumulator::histogram() const {
  if (!is_dense_) return sparse_;
  const auto present = counts_.size() - static_cast<size_t>(std::ranges::count(counts_, uint64_t{0}));
  SparseHistogram out;
  std::vector<SparseHistogram::Cell> cells;
  cells.reserve(std::min(present, SparseHistogram::kCellsMax));
  const auto merge = [&] { out.merge(*SparseHistogram::from_cells(std::exchange(cells, {}))); };
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    if (cells.size() == SparseHistogram::kCellsMax) merge();
    cells.push_back({first_ + static_cast<HistogramIndex>(i), counts_[i]});
  }
  if (out.is_empty()) return *SparseHistogram::from_cells(std::move(cells));
  merge();
  return out;
}

size_t HistogramAccumulator::memory_bytes() const {
  return counts_.capacity() * sizeof(uint64_t) + sparse_.memory_bytes();
}

}  // namespace statmill
