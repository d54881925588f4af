// Verification: whether a server has stored what it was sent, asked of it series by series.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/server_process.h"
#include "tools/statmill/answer.h"

namespace statmill {

struct SeriesTotal {
  uint64_t count = 0;
  double sum = 0;
};

// What is said of one series that is not as it was sent, or nothing. With `is_lossy` samples may be missing,
// and nothing is said but of more than was sent. Sums are equal when they differ by no more than rounding.
std::optional<std::string> mismatch(const SeriesTotal& sent, const SeriesTotal& stored, bool is_lossy);

// All slots of the series together. Requires: columns "count" and "sum".
SeriesTotal total_of(const SeriesColumns& columns);

// So many of the numbers below `series`, without repetition; all when there are no more. By seed.
std::vector<size_t> pick_series(size_t series, size_t count, uint32_t seed);

// What every series was sent, in the range of time [from_s, until_s).
struct SentTotals {
  uint64_t count = 0;               // of each series
  std::vector<int64_t> hundredths;  // by series: the sum
  int64_t from_s = 0;
  int64_t until_s = 0;
};

// Asks for every series when there are few, for a few thousand of them else; gives how many.
// Errors: kCorrupt at the first series that is not as it was sent; those of ServerProcess::get.
Result<size_t> verify_stored(const ServerProcess& server, const SentTotals& sent, bool is_lossy);

}  // namespace statmill
