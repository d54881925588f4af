#include "server/query/ops/histogram_functions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "server/query/ops/groups.h"
#include "server/query/ops/histogram_columns.h"
#include "server/query/ops/special_values.h"

namespace statmill {
namespace {

using plan::HistogramFunction;

constexpr std::string_view kUpperLabel = "le";

std::optional<double> parsed_edge(std::string_view text) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<double> out_of_range(double q) {
  if (std::isnan(q)) return kNan;
  if (q < 0) return -kInfinity;
  if (q > 1) return kInfinity;
  return std::nullopt;
}

// Sorts the buckets and sums the counts of equal edges. Returns false if the last one is not for +Inf.
bool put_in_order(std::vector<ClassicBucket>& buckets) {
  std::sort(buckets.begin(), buckets.end(),
            [](const ClassicBucket& a, const ClassicBucket& b) { return a.upper < b.upper; });
  if (buckets.empty() || buckets.back().upper != kInfinity) return false;
  size_t last = 0;
  for (size_t i = 1; i < buckets.size(); ++i) {
    if (buckets[i].upper == buckets[last].upper) {
      buckets[last].count += buckets[i].count;
    } else {
      buckets[++last] = buckets[i];
    }
  }
  buckets.resize(last + 1);
  return true;
}

// Raises each count to those before it.
void make_ascending(std::vector<ClassicBucket>& buckets) {
  for (size_t i = 1; i < buckets.size(); ++i) {
    buckets[i].count = buckets[i].count < buckets[i - 1].count ? buckets[i - 1].count : buckets[i].count;
  }
}

// Returns how many samples are below a value. Requires: put_in_order().
double count_below(double value, const std::vector<ClassicBucket>& buckets) {
  const double all = buckets.back().count;
  double start = buckets.front().upper <= 0 ? -kInfinity : 0;
  double below = 0;
  for (const ClassicBucket& bucket : buckets) {
    if (start >= value) return std::min(below, all);
    if (bucket.upper > value) {
      const double part = (value - start) / (bucket.upper - start);
      return std::min(start == -kInfinity ? bucket.count : below + (bucket.count - below) * part, all);
    }
    start = bucket.upper;
    below = bucket.count;
  }
  return all;
}

// The part of the samples between two values. Each cell belongs to the side where its middle is.
double fraction(const SparseHistogram& histogram, double lower, double upper) {
  if (std::isnan(lower) || std::isnan(upper) || histogram.is_empty()) return kNan;
  if (lower >= upper) return 0;
  uint64_t count = 0;
  for (const HistogramCell& cell : histogram.cells()) {
    const double middle = histogram_midpoint(cell.index, histogram.joined_power());
    if (middle > lower && middle <= upper) count += cell.count;
  }
  return static_cast<double>(count) / static_cast<double>(histogram.count());
}

double native_quantile(double q, const Bucket& bucket, const SparseHistogram& histogram) {
  if (const std::optional<double> value = out_of_range(q)) return *value;
  return histogram.percentile(q, bucket.min(), bucket.max());
}

double variance(const Bucket& bucket) { return bucket.m2() / static_cast<double>(bucket.count()); }

}  // namespace

double classic_quantile(double q, std::vector<ClassicBucket>& buckets) {
  if (const std::optional<double> value = out_of_range(q)) return *value;
  if (!put_in_order(buckets)) return kNan;
  make_ascending(buckets);
  if (buckets.size() < 2) return kNan;
  const double all = buckets.back().count;
  if (all == 0 || std::isnan(all)) return kNan;
  double rank = q * all;
  const auto found = std::find_if(buckets.begin(), buckets.end() - 1,
                                  [rank](const ClassicBucket& bucket) { return bucket.count >= rank; });
  if (found == buckets.end() - 1) return buckets[buckets.size() - 2].upper;
  if (found == buckets.begin() && found->upper <= 0) return found->upper;
  double start = 0;
  double count = found->count;
  if (found != buckets.begin()) {
    const ClassicBucket& before = *(found - 1);
    start = before.upper;
    count -= before.count;
    rank -= before.count;
  }
  return start + (found->upper - start) * (rank / count);
}

double classic_fraction(double lower, double upper, std::vector<ClassicBucket>& buckets) {
  if (!put_in_order(buckets)) return kNan;
  const double all = buckets.back().count;
  if (all == 0 || std::isnan(lower) || std::isnan(upper)) return kNan;
  if (lower >= upper) return 0;
  return (count_below(upper, buckets) - count_below(lower, buckets)) / all;
}

bool HistogramMaps::is_quantile() const {
  return node_.function == HistogramFunction::kQuantile || node_.function == HistogramFunction::kQuantiles;
}

bool HistogramMaps::takes_classic() const {
  return is_quantile() || node_.function == HistogramFunction::kFraction;
}

HistogramMaps::Classic& HistogramMaps::classic_of(const SeriesLabels& labels) {
  SeriesLabels without = labels;
  without.remove(kUpperLabel);
  const auto [found, is_new] = by_key_.try_emplace(without.key(), classics_.size());
  if (is_new) classics_.push_back({std::move(without), {}, Presence(points_)});
  return classics_[found->second];
}

Status HistogramMaps::add(SeriesValues series) {
  if (!series.histograms) {
    if (takes_classic()) add_classic(std::move(series));
    return Status::ok();
  }
  if (takes_classic()) {
    Presence& native = classic_of(series.labels).native;
    const Presence present = presence_of(*series.histograms);
    for (size_t i = present.next(0); i < points_; i = present.next(i + 1)) native.set(i);
  }
  return add_native(series.labels, *series.histograms);
}

void HistogramMaps::add_classic(SeriesValues series) {
  const std::optional<double> upper = parsed_edge(series.labels.get(kUpperLabel));
  if (!upper) return;
  held_bytes_ += memory_bytes_of(series);
  classic_of(series.labels).buckets.emplace_back(*upper, std::move(series.numbers));
}

SeriesLabels HistogramMaps::result_labels(const SeriesLabels& labels, size_t parameter) const {
  SeriesLabels result = labels;
  result.remove(kMetricName);
  if (node_.function == HistogramFunction::kQuantiles) {
    result.set(node_.label, plain_number_text(parameters_[parameter].value(0)));
  }
  return result;
}

Status HistogramMaps::add_native(const SeriesLabels& labels, const Histograms& histograms) {
  for (size_t p = 0; p < result_count(); ++p) {
    Numbers numbers = Numbers::of_reals(points_);
    for (size_t i = 0; i < points_; ++i) {
      const Bucket& bucket = histograms.buckets[i];
      if (bucket.is_empty()) continue;
      const SparseHistogram& histogram = histograms.histograms[i];
      switch (node_.function) {
        case HistogramFunction::kQuantile:
        case HistogramFunction::kQuantiles:
          if (histogram.is_empty()) break;  // a bucket of a gauge
          numbers.set(i, native_quantile(parameters_[p].value(i), bucket, histogram));
          break;
        case HistogramFunction::kFraction:
          if (histogram.is_empty()) break;
          numbers.set(i, fraction(histogram, parameters_[0].value(i), parameters_[1].value(i)));
          break;
        case HistogramFunction::kCount:
          numbers.set(i, static_cast<double>(bucket.count()) / histograms.seconds[i]);
          break;
        case HistogramFunction::kSum:
          numbers.set(i, bucket.sum() / histograms.seconds[i]);
          break;
        case HistogramFunction::kAvg:
          numbers.set(i, bucket.mean());
          break;
        case HistogramFunction::kStddev:
          numbers.set(i, std::sqrt(variance(bucket)));
          break;
        case HistogramFunction::kStdvar:
          numbers.set(i, variance(bucket));
          break;
        case HistogramFunction::kMin:
          numbers.set(i, bucket.min());
          break;
        case HistogramFunction::kMax:
          numbers.set(i, bucket.max());
          break;
      }
    }
    if (numbers.present.count() == 0) continue;
    Status status = result_.add({result_labels(labels, p), std::move(numbers)});
    if (!status) return status;
  }
  return Status::ok();
}

double HistogramMaps::classic_value(size_t parameter, size_t point,
                                    std::vector<ClassicBucket>& buckets) const {
  if (is_quantile()) return classic_quantile(parameters_[parameter].value(point), buckets);
  return classic_fraction(parameters_[0].value(point), parameters_[1].value(point), buckets);
}

Status HistogramMaps::add_results(const Classic& classic) {
  std::vector<ClassicBucket> buckets;
  for (size_t p = 0; p < result_count(); ++p) {
    Numbers numbers = Numbers::of_reals(points_);
    for (size_t i = 0; i < points_; ++i) {
      if (classic.native[i]) continue;
      buckets.clear();
      for (const auto& [upper, counts] : classic.buckets) {
        if (counts.present[i]) buckets.push_back({upper, counts.value(i)});
      }
      if (!buckets.empty()) numbers.set(i, classic_value(p, i, buckets));
    }
    if (numbers.present.count() == 0) continue;
    Status status = result_.add({result_labels(classic.labels, p), std::move(numbers)});
    if (!status) return status;
  }
  return Status::ok();
}

Status HistogramMaps::finish(const std::function<Status(SeriesValues)>& take) {
  for (const Classic& classic : classics_) {
    if (Status status = add_results(classic); !status) return status;
  }
  return result_.finish(take);
}

}  // namespace statmill
