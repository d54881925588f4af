// Query: a request and its answer, independent of JSON and HTTP.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proto/sample.h"
#include "server/query/query_limits.h"
#include "storage/bucket.h"
#include "storage/codec/codec.h"
#include "storage/histogram.h"

namespace statmill {

// The statistics of a bucket. A bucket of an event series holds the rates of its 10 s slots; the rate of a
// slot without events is 0.
enum class Stat : uint8_t {
  kCount,   // gauge: samples; event: 10 s slots
  kSum,     // gauge: sum of samples; event: total of the events
  kAvg,     // gauge: mean of the samples; event: mean rate per second
  kStddev,  // sample standard deviation (n - 1) of the samples or rates; 0 if there is only one
  kMin,
  kMax,
  kRate,  // per second: sum / step
};

// Parses "count", "sum", "avg", "stddev", "min", "max" or "rate"; returns nullopt for anything else.
std::optional<Stat> parse_stat(std::string_view text);
std::string_view stat_name(Stat stat);
// Returns true if the statistic depends on count and sum only.
bool is_total(Stat stat);

// A percentile of a distribution: "p50", "p99.9".
struct Percentile {
  static constexpr size_t kCountMax = 10;  // per request

  std::string name;
  double q = 0;  // 0 to 1

  // Parses "p" and a decimal from 0 to 100; returns nullopt for anything else.
  static std::optional<Percentile> parse(std::string_view text);
};

struct QueryRequest {
  std::vector<std::string> series;  // names or globs
  int64_t from_s = 0;               // unix seconds; half-open range [from_s, until_s)
  int64_t until_s = 0;
  std::optional<int64_t> step_s;      // if unset, the server chooses
  std::optional<int64_t> max_points;  // per series; if this and step_s are unset, kDefaultPoints
  // kTotals, which is faster, suffices if the caller uses only statistics for which is_total() is true.
  // kHistograms is required for histograms and percentiles.
  Wanted wanted = Wanted::kBuckets;
  std::vector<Percentile> percentiles = {};
  // Merges all distributions among the series into one and omits other series. Requires: `wanted` is
  // kHistograms.
  bool merges = false;
};

// One series of the answer: one bucket per output slot, empty where the slot has no data.
struct SeriesAnswer {
  std::string name;
  Kind kind = Kind::kGauge;
  std::vector<Bucket> slots;  // size (until_s - from_s) / step_s
  // One histogram per slot if the request merges distributions; else empty.
  std::vector<SparseHistogram> histograms = {};
  // One vector per requested percentile, with one value per slot; NaN where the slot has no histogram. The
  // inner vectors are empty unless the series is a distribution.
  std::vector<std::vector<double>> percentiles = {};
};

struct QueryAnswer {
  int64_t from_s = 0;   // aligned down to the step
  int64_t until_s = 0;  // aligned up
  int64_t step_s = 0;
  int64_t tier_s = 0;                // step of the tier that was read
  int64_t event_slot_s = 10;         // length of the slots whose rates are in the buckets of event series
  std::vector<SeriesAnswer> series;  // by name, each once
  uint64_t damaged_frames = 0;       // stored frames that failed their check and are missing from the answer
  uint64_t joined_histograms = 0;    // slots whose histograms are coarser because they had too many cells
  std::vector<std::string> merged = {};  // names of the merged series, if the request merges
};

// One number of an answer: a decimal, which is integer / 10^scale, or any double.
class AnswerNumber {
 public:
  // Requires: 0 <= scale <= Bucket::kScaleMax.
  static AnswerNumber decimal(int64_t integer, int scale) { return {integer, static_cast<int8_t>(scale)}; }
  static AnswerNumber real(double value) { return {std::bit_cast<int64_t>(value), kNotDecimal}; }

  double value() const;  // the nearest double
  // Appends a decimal with all its digits (put_decimal()), and any other number as the shortest text that
  // parses to the same double (append_number()).
  void append_to(std::string& out) const;

 private:
  static constexpr int8_t kNotDecimal = -1;
  AnswerNumber(int64_t integer, int8_t scale) : integer_(integer), scale_(scale) {}

  int64_t integer_;  // the bits of a double if scale_ is kNotDecimal
  int8_t scale_;
};

// Returns nullopt if the bucket is empty. Each number of a decimal bucket is rounded once, from its exact
// sums:
// - sum, min, max and count are decimals with all their digits, and so is a mean of one sample;
// - the deviation, and any other mean or rate, are the doubles nearest to the exact quotients.
// A bucket in doubles (with a sample over 16 digits, or a sum over 18) has only a rounded sum and M2, so its
// numbers are rounded again.
std::optional<AnswerNumber> stat_number(Stat stat, const Bucket& bucket, Kind kind, int64_t step_s,
                                        int64_t event_slot_s);
// Returns the double nearest to that number.
std::optional<double> stat_of(Stat stat, const Bucket& bucket, Kind kind, int64_t step_s,
                              int64_t event_slot_s);

struct SeriesInfo {
  std::string name;
  Kind kind = Kind::kGauge;
  int64_t last_s = 0;  // start of the newest slot that has a sample, unix seconds
};

struct SeriesPage {
  std::vector<SeriesInfo> series;  // by name
  bool truncated = false;          // more series matched than the limit
};

}  // namespace statmill
