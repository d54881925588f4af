// Changes: how far series have moved in a range of time, against the same series in an earlier one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/names/label_matcher.h"
#include "server/query/query_control.h"
#include "server/query/stat_table.h"
#include "storage/bucket.h"
#include "storage/histogram.h"

namespace statmill {

struct ChangesRequest {
  static constexpr size_t kSeriesMax = 5000;
  static constexpr uint64_t kCountMin = 10;  // series with less in either range are left out

  std::vector<LabelMatcher> matchers;
  int64_t from_s = 0;
  int64_t until_s = 0;
  int64_t shift_s = 0;  // the earlier range is [from_s - shift_s, until_s - shift_s)
  size_t limit = 0;     // of the answer
};

// What a series was, and what it is.
struct Change {
  // The greatest difference of the two cumulated distributions, 0 to 1.
  double score = 0;
  // |difference of the means| / the standard deviation of both together; nullopt for distributions, and if
  // nothing deviates.
  std::optional<double> deviations = {};
};

// Returns how far the means are apart. The score is that of two normal distributions with these means and
// the pooled deviation. The buckets of events and counters are of the rates of slots. Requires: two samples
// in each.
Change change_of_means(const Bucket& was, const Bucket& is);
// The same by the cells of histograms, which may have joined ones. Requires: neither is empty.
Change change_of_distributions(const SparseHistogram& was, const SparseHistogram& is);

struct ChangesAnswer {
  struct Series {
    std::string name;
    Kind kind = Kind::kGauge;
    Change change;
    Bucket was;
    Bucket is;
  };
  size_t compared = 0;  // series with enough samples
  size_t selected = 0;  // by the matchers
  int64_t from_s = 0;   // the ranges, widened to slots
  int64_t until_s = 0;
  int64_t was_from_s = 0;
  int64_t was_until_s = 0;
  std::vector<Series> series;  // those that have moved most first
  uint64_t damaged_frames = 0;
};

// Errors: as read_stat_table(); kLimit above kSeriesMax. Cost: each series is read in two ranges.
Result<ChangesAnswer> read_changes(const StatTableSources& sources, const ChangesRequest& request,
                                   Timestamp now, QueryControl& control);

}  // namespace statmill
