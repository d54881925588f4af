// Verification: queries a server series by series, to check that it has stored what it received.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/server_process.h"
#include "tools/statmill-bench/workload.h"
#include "tools/statmill/answer.h"

namespace statmill {

struct SeriesTotal {
  uint64_t count = 0;
  double sum = 0;
};

// Returns how a series differs from what was sent; nullopt if it does not. With `is_lossy`, missing samples
// are no fault, but extra samples are. Sums are equal if they differ by rounding only.
std::optional<std::string> mismatch(const SeriesTotal& sent, const SeriesTotal& stored, bool is_lossy);

// Returns the totals of all slots of the series. Requires: columns "count" and "sum".
SeriesTotal total_of(const SeriesColumns& columns);

// Returns `count` distinct random numbers below `series`, or all of them if there are no more. The seed
// determines them.
std::vector<size_t> pick_series(size_t series, size_t count, uint32_t seed);

// A sample without a time gets the time of its arrival. The time range of a run of such samples reaches this
// far beyond its begin and its end, so that the slots at both ends are in it.
inline constexpr int64_t kTimeMarginS = 20;

// What was sent to each series in the time range [from_s, until_s).
struct SentTotals {
  uint64_t count = 0;                    // per series
  std::vector<int64_t> hundredths = {};  // by series: the sum of the values
  int64_t from_s = 0;
  int64_t until_s = 0;
  std::function<std::string(size_t series)> name = series_name;
};

// Checks every series, or a sample of a few thousand if there are more. Returns the number checked. Errors:
// kCorrupt at the first series that differs; those of ServerProcess::get.
Result<size_t> verify_stored(const ServerProcess& server, const SentTotals& sent, bool is_lossy);

}  // namespace statmill
