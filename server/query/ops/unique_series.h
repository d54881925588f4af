// UniqueSeries: joins series of equal labels that have no common point. Numbers and histograms of the same
// labels stay two series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/text_map.h"
#include "server/query/series_source.h"

namespace statmill {

inline constexpr std::string_view kSameLabels = "vector cannot contain metrics with the same labelset";

// Holds the series that it gets. Confined to one thread.
class UniqueSeries {
 public:
  // refuses_all: any two series of equal labels and of one kind are an error, not only those with a common
  // point.
  explicit UniqueSeries(bool refuses_all) : refuses_all_(refuses_all) {}

  // Errors: kInvalid with kSameLabels.
  Status add(SeriesValues series);
  size_t memory_bytes() const { return held_bytes_; }
  // In the order of the first series of each labels.
  Status finish(const std::function<Status(SeriesValues)>& take);

 private:
  const bool refuses_all_;
  std::vector<SeriesValues> series_;
  static constexpr size_t kNone = SIZE_MAX;
  struct Indices {  // into series_
    size_t numbers = kNone;
    size_t histograms = kNone;
  };
  TextMap<Indices> by_key_;
  size_t held_bytes_ = 0;
};

}  // namespace statmill
