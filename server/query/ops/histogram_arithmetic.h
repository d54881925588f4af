// Sums, means and multiples of histograms, point by point.
//
// The rate of a count is the integer divided by Histograms::seconds. So a multiple is a change of
// `seconds`, and only histograms of equal seconds are added or subtracted. A result that has no such form is
// left out of the answer, and a note says so.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "server/query/numbers.h"
#include "server/query/ops/column_sum.h"
#include "server/query/plan/nodes.h"
#include "server/query/series_source.h"
#include "storage/histogram_accumulator.h"

namespace statmill {

inline constexpr std::string_view kOtherSeconds =
    "histograms of different rates are neither summed nor subtracted";
inline constexpr std::string_view kPositiveFactors =
    "histograms are multiplied and divided by positive numbers only";
inline constexpr std::string_view kNoDifference =
    "differences of histograms with negative counts, or without samples, are left out";
inline constexpr std::string_view kBucketsWithoutCells = "buckets of gauges are not subtracted";

Histograms absent_histograms(size_t points);
void remove_point(Histograms& histograms, size_t point);

// The operator between each histogram and a scalar. Removes the points that have no result.
void scale_histograms(const plan::ScalarMap& node, const Numbers& scalar, Histograms& histograms,
                      QueryNotes& notes);

// The two sides of arithmetic or a comparison at one point. Both are present there, and at least one has
// histograms.
struct HistogramPair {
  plan::Operator op;
  bool returns_bool;
  const SeriesValues& left;
  const SeriesValues& right;
  size_t point;
};
// Sets the point of `result` to what the operator gives. Returns false if there is no result. Requires:
// `result` has doubles if the operator returns a bool, and histograms otherwise.
bool combine_histograms(const HistogramPair& pair, SeriesValues& result, QueryNotes& notes);

// The histograms of several series, added at each point. Confined to one thread.
class HistogramSum {
 public:
  explicit HistogramSum(size_t points);

  void add(const Histograms& histograms);
  // The bytes that it holds. Cost: O(1).
  size_t memory_bytes() const { return held_bytes_; }
  // The points at which any series has a histogram.
  Presence present() const { return counts_.present(); }
  // Returns true if points are left out because the histograms there are rates over different times.
  bool has_left_out() const { return left_out_.count() > 0; }
  // Each takes the histograms out of this.
  Histograms take_sum();
  Histograms take_mean();

 private:
  // The sum at one point: a list of cells, until so many of its range are there that counters are better.
  class Sum {
   public:
    void add(const SparseHistogram& histogram);
    SparseHistogram take() { return counters_.is_empty() ? std::move(list_) : counters_.histogram(); }
    size_t memory_bytes() const { return list_.memory_bytes() + counters_.memory_bytes(); }

   private:
    SparseHistogram list_;  // has all samples, or counters_ has them
    HistogramAccumulator counters_;
  };

  std::vector<Bucket> buckets_;
  std::vector<Sum> sums_;
  std::vector<double> seconds_;
  ColumnCount counts_;
  Presence left_out_;
  size_t held_bytes_;
};

}  // namespace statmill
