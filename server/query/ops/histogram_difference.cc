#include "server/query/ops/histogram_difference.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "server/query/query.h"

namespace statmill {
namespace {

// The cells, each of 2^power buckets. Requires: power >= histogram.joined_power().
std::vector<HistogramCell> joined_cells(const SparseHistogram& histogram, int power) {
  std::vector<HistogramCell> cells;
  for (const HistogramCell& cell : histogram.cells()) {
    const HistogramIndex index = joined_index(cell.index, power);
    if (!cells.empty() && cells.back().index == index) {
      cells.back().count += cell.count;
    } else {
      cells.push_back({index, cell.count});
    }
  }
  return cells;
}

std::optional<SparseHistogram> cells_left(const SparseHistogram& all, const SparseHistogram& less) {
  const int power = std::max(all.joined_power(), less.joined_power());
  const std::vector<HistogramCell> subtracted = joined_cells(less, power);
  auto next = subtracted.begin();
  std::vector<HistogramCell> left;
  for (HistogramCell cell : joined_cells(all, power)) {
    if (next != subtracted.end() && next->index == cell.index) {
      if (next->count > cell.count) return std::nullopt;
      cell.count -= next->count;
      ++next;
    }
    if (cell.count > 0) left.push_back(cell);
  }
  // A cell that `all` does not have remains.
  if (next != subtracted.end() || left.empty()) return std::nullopt;
  return SparseHistogram::from_cells(std::move(left), power);
}

struct Sums {
  double sum;
  double m2;
};

// Integers in, so no digit cancels. Returns nullopt if they do not fit.
std::optional<Sums> exact_sums(Bucket all, Bucket less, uint64_t count) {
  if (!all.is_decimal() || !less.is_decimal()) return std::nullopt;
  const int8_t scale = std::max(all.scale(), less.scale());
  if (!all.rescale(scale) || !less.rescale(scale)) return std::nullopt;
  const Bucket::Decimal a = all.decimal();
  const Bucket::Decimal b = less.decimal();
  int64_t sum = 0;
  Int128 squares = 0;
  Int128 times_count = 0;
  Int128 deviations = 0;
  if (__builtin_sub_overflow(a.sum, b.sum, &sum) ||
      __builtin_sub_overflow(a.sum_of_squares, b.sum_of_squares, &squares) ||
      __builtin_mul_overflow(squares, static_cast<Int128>(count), &times_count) ||
      __builtin_sub_overflow(times_count, Int128{sum} * sum, &deviations)) {
    return std::nullopt;
  }
  const long double unit = std::pow(10.0L, 2 * scale) * static_cast<long double>(count);
  return Sums{AnswerNumber::decimal(sum, scale).value(),
              static_cast<double>(static_cast<long double>(deviations) / unit)};
}

// The inverse of the formula of Chan, Golub and LeVeque that merges two M2.
Sums rounded_sums(const Bucket& all, const Bucket& less, double count) {
  const double sum = all.sum() - less.sum();
  const double apart = less.mean() - sum / count;
  const double pairs = static_cast<double>(less.count()) * count / static_cast<double>(all.count());
  return {sum, all.m2() - less.m2() - apart * apart * pairs};
}

// Returns `exact`, that of all samples, if none of the outermost cell that is left was subtracted; otherwise
// the middle of this cell, as far as all samples reach.
double extreme_left(const Bucket& all, double exact, HistogramIndex outermost, const SparseHistogram& less,
                    const SparseHistogram& left) {
  const int power = left.joined_power();
  const bool is_subtracted = std::ranges::any_of(
      less.cells(), [&](const HistogramCell& cell) { return joined_index(cell.index, power) == outermost; });
  if (!is_subtracted && joined_index(histogram_index(exact), power) == outermost) return exact;
  return std::clamp(histogram_midpoint(outermost, power), all.min(), all.max());
}

// Returns the nearest M2 that samples in these cells can have. Samples that are not among those of `all`
// could leave another.
double possible_m2(const Sums& sums, double count, const SparseHistogram& left) {
  const auto edges = [&left](const HistogramCell& cell) {
    return std::minmax(
        {histogram_lower_edge(cell.index), histogram_upper_edge(cell.index, left.joined_power())});
  };
  const double mean = sums.sum / count;
  const double above = edges(left.cells().back()).second - mean;
  const double below = mean - edges(left.cells().front()).first;
  const double most = above > 0 && below > 0 ? above * below * count : 0;
  return std::isfinite(most) ? std::clamp(sums.m2, 0.0, most) : std::max(0.0, sums.m2);
}

}  // namespace

std::optional<Distribution> difference(const Distribution& all, const Distribution& less) {
  auto left = cells_left(all.histogram, less.histogram);
  if (!left) return std::nullopt;
  const uint64_t count = std::min(left->count(), Bucket::kCountMax);
  const auto n = static_cast<double>(count);
  const Sums sums =
      exact_sums(all.bucket, less.bucket, count).value_or(rounded_sums(all.bucket, less.bucket, n));
  if (!std::isfinite(sums.sum)) return std::nullopt;
  if (count == 1)
    return Distribution{Bucket::from_real(1, {sums.sum, 0, sums.sum, sums.sum}), *std::move(left)};
  const double mean = sums.sum / n;
  const double min = std::min(
      mean, extreme_left(all.bucket, all.bucket.min(), left->cells().front().index, less.histogram, *left));
  const double max = std::max(
      mean, extreme_left(all.bucket, all.bucket.max(), left->cells().back().index, less.histogram, *left));
  return Distribution{Bucket::from_real(count, {sums.sum, possible_m2(sums, n, *left), min, max}),
                      *std::move(left)};
}

}  // namespace statmill
