// Numbers of histograms: of distributions, and, for the quantiles, of classic histograms, which are series
// that count the samples up to the number in their label `le`.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/text_map.h"
#include "server/query/ops/unique_series.h"
#include "server/query/plan/nodes.h"
#include "server/query/series_source.h"

namespace statmill {

// One bucket of a classic histogram: the samples <= upper.
struct ClassicBucket {
  double upper = 0;
  double count = 0;
};

// Interpolates within the bucket of the rank, as Prometheus does. Changes `buckets`. NaN if they are too few,
// have no samples, or none is for +Inf.
double classic_quantile(double q, std::vector<ClassicBucket>& buckets);
// The part of the samples between two values, interpolated in the same way. The first bucket begins at 0, or,
// if its edge is not positive, without a bound: all its samples are below any value in it. Changes `buckets`.
// NaN if none is for +Inf, or they have no samples.
double classic_fraction(double lower, double upper, std::vector<ClassicBucket>& buckets);

// Confined to one thread. Holds the series of classic histograms and the results.
class HistogramMaps {
 public:
  // `parameters` has a column for each of the node's. Both must outlive this.
  HistogramMaps(const plan::HistogramMap& node, const std::vector<Numbers>& parameters, size_t points)
      : node_(node), parameters_(parameters), points_(points), result_(false) {}

  Status add(SeriesValues series);
  size_t memory_bytes() const { return held_bytes_ + result_.memory_bytes(); }
  Status finish(const std::function<Status(SeriesValues)>& take);

 private:
  struct Classic {
    SeriesLabels labels;                              // without `le`
    std::vector<std::pair<double, Numbers>> buckets;  // upper edge, counts
    Presence native;  // points with a distribution of the same labels: neither is used there
  };
  bool is_quantile() const;
  bool takes_classic() const;
  size_t result_count() const { return is_quantile() ? parameters_.size() : 1; }
  Classic& classic_of(const SeriesLabels& labels);
  void add_classic(SeriesValues series);
  Status add_native(const SeriesLabels& labels, const Histograms& histograms);
  Status add_results(const Classic& classic);
  double classic_value(size_t parameter, size_t point, std::vector<ClassicBucket>& buckets) const;
  SeriesLabels result_labels(const SeriesLabels& labels, size_t parameter) const;

  const plan::HistogramMap& node_;
  const std::vector<Numbers>& parameters_;
  const size_t points_;
  std::vector<Classic> classics_;
  TextMap<size_t> by_key_;
  size_t held_bytes_ = 0;
  UniqueSeries result_;
};

}  // namespace statmill
