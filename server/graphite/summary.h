// Summary: one number of several, by the names that Graphite has for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace statmill::graphite {

// The name of Summary::Kind::kPool.
inline constexpr std::string_view kPoolName = "pool";

struct Summary {
  enum class Kind : uint8_t {
    kAverage,
    kAverageZero,  // none counts as 0
    kMedian,
    kSum,
    kMin,
    kMax,
    kDiff,    // the first minus the others
    kStddev,  // of the population
    kCount,
    kRange,
    kMultiply,  // none if any is none
    kFirst,
    kLast,
    kPercentile,  // the nearest rank; of merged buckets, that of all their samples
    kPool,        // of merged buckets only: the mean of all their samples
  };
  Kind kind = Kind::kAverage;
  double quantile = 0;  // of kPercentile, 0 to 1

  // Returns true if it is of the samples of merged buckets where buckets are there.
  bool is_of_samples() const { return kind == Kind::kPercentile || kind == Kind::kPool; }
  // Requires: not kPool. NaN values are none. Returns NaN if there is no value. Cost: a sort for kMedian and
  // kPercentile.
  double of(std::span<const double> values) const;

  friend bool operator==(const Summary&, const Summary&) = default;
};

// Parses the name of a function of several values: average, avg, avg_zero, median, sum, total, min, max,
// diff, stddev, count, range, rangeOf, multiply, last, current, and p50, p99.9. With `Series` after it it
// means the same. Returns nullopt for anything else.
std::optional<Summary> parse_summary(std::string_view name);
// The same, and `pool`: for functions that merge buckets of several series.
std::optional<Summary> parse_merging(std::string_view name);
// Parses the argument of consolidateBy(): sum, average, avg, avg_zero, min, max, first, last, count, stddev,
// p99.
std::optional<Summary> parse_consolidation(std::string_view name);
// The names for lists of options, without percentiles.
std::span<const std::string_view> summary_names();
std::span<const std::string_view> consolidation_names();

}  // namespace statmill::graphite
