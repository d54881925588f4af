// Numbers: one value per point of a query's grid: decimals at one scale as long as they are exact, or
// doubles.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "server/query/labels.h"
#include "server/query/query.h"
#include "storage/bucket.h"
#include "storage/histogram.h"
#include "storage/slot_columns.h"

namespace statmill {

// The points at which a query is evaluated: start, start + step, ... up to end, inclusive. In milliseconds.
struct Grid {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  int64_t step_ms = 1000;  // > 0; of any value if start and end are equal

  size_t points() const { return static_cast<size_t>((end_ms - start_ms) / step_ms) + 1; }
  int64_t at(size_t point) const { return start_ms + static_cast<int64_t>(point) * step_ms; }
  friend bool operator==(const Grid&, const Grid&) = default;
};

// A value type. NaN is a value; absence is a bit of `present`. Elements that are not present are 0.
struct Numbers {
  static constexpr int8_t kReal = -1;

  Presence present;
  int8_t scale = 0;               // kReal: doubles
  std::vector<int64_t> integers;  // value = integer / 10^scale; empty if scale is kReal
  std::vector<double> reals;      // empty unless scale is kReal

  static Numbers of_reals(size_t size);  // all absent
  static Numbers of_decimals(size_t size, int8_t scale);

  size_t size() const { return present.size(); }
  bool is_real() const { return scale == kReal; }
  // Requires: present[i].
  AnswerNumber number(size_t i) const;
  double value(size_t i) const { return is_real() ? reals[i] : number(i).value(); }
  void set(size_t i, double value) {  // Requires: is_real()
    present.set(i);
    reals[i] = value;
  }
  void remove(size_t i);  // Requires: present[i]
  // Each decimal becomes the nearest double. A no-op for doubles.
  void make_real();
};

// The distribution of many samples per point, with the exact bucket of the same samples. Each count and
// sum stands for itself divided by `seconds`, which is 1 unless this is a rate.
struct Histograms {
  std::vector<Bucket> buckets;              // empty: the point is absent
  std::vector<SparseHistogram> histograms;  // one per bucket
  std::vector<double> seconds;              // one per bucket

  size_t size() const { return buckets.size(); }
};

// One series of a (partial) result. It has numbers or histograms, never both.
struct SeriesValues {
  SeriesLabels labels;
  Numbers numbers;
  std::optional<Histograms> histograms = std::nullopt;
};

}  // namespace statmill
