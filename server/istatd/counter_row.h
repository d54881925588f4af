// CounterRow: one row of an answer about a counter: what istatd calls a bucket.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "storage/bucket.h"

namespace statmill::istatd {

struct CounterRow {
  int64_t time_s = 0;
  double count = 0;  // a whole number
  double min = 0;
  double max = 0;
  double sum = 0;
  double sumsq = 0;
  double avg = 0;
  double sdev = 0;  // n - 1; 0 below two samples
};

// Requires: the bucket is not empty.
CounterRow row_of(int64_t time_s, const Bucket& bucket);

// Merges rows, ascending by time, into those of a longer interval. With `slots`, each has that many
// observations, the missing ones 0, as the rates of events have.
std::vector<CounterRow> merged_rows(std::span<const CounterRow> rows, int64_t interval_s,
                                    std::optional<uint64_t> slots);

// istatd's exponential mean of the same slot of several weeks, the oldest first, in which each week counts a
// tenth and what came before nine tenths. Requires: there is one.
CounterRow trailing_mean(std::span<const CounterRow> weeks);

}  // namespace statmill::istatd
