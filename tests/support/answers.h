// Numbers of query answers, for tests.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "server/query/query.h"

namespace statmill {

// Returns the bucket of a point, with the open slot of an event series as a rate over its whole length.
inline Bucket bucket_of(const SeriesAnswer& series, size_t point) {
  Bucket bucket = series.points.bucket_at(point);
  if (series.open && series.open->point == point) bucket.merge(series.open->rate);
  return bucket;
}

// The same for all points.
inline std::vector<Bucket> buckets_of(const SeriesAnswer& series) {
  std::vector<Bucket> out;
  for (size_t i = 0; i < series.points.size(); ++i) out.push_back(bucket_of(series, i));
  return out;
}

// Returns 0 if the point has no data.
inline double stat_value(Stat stat, const QueryAnswer& answer, const SeriesAnswer& series, size_t point) {
  const auto number = stat_at(stat, answer, series, point);
  return number ? number->value() : 0;
}

// The statistic of all points added up.
inline double total_of(Stat stat, const QueryAnswer& answer, const SeriesAnswer& series) {
  double total = 0;
  for (size_t i = 0; i < series.points.size(); ++i) total += stat_value(stat, answer, series, i);
  return total;
}

// Returns columns with all parts, one element per bucket.
inline SlotColumns columns_of(std::span<const Bucket> buckets) {
  SlotColumns out(0, buckets.size(), {.extremes = true, .squares = true});
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (!buckets[i].is_empty()) out.add(i, buckets[i], Combine::kMerge);
  }
  return out;
}

}  // namespace statmill
