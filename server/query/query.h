// Query: what is asked of the server and what it answers, before and after JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proto/sample.h"
#include "storage/bucket.h"
#include "storage/codec/codec.h"
#include "storage/histogram.h"

namespace statmill {

// What can be read off a bucket. In an event series a bucket holds the rates of the 10 s slots, silent ones
// as 0.
enum class Stat : uint8_t {
  kCount,   // gauge: samples; event: 10 s slots
  kSum,     // gauge: sum of samples; event: total of the events
  kAvg,     // gauge: mean sample; event: mean rate per second
  kStddev,  // sample standard deviation (n - 1) of the same; 0 for a single one
  kMin,
  kMax,
  kRate,  // per second: sum / step
};

// "count", "sum", "avg", "stddev", "min", "max", "rate"; none for anything else.
std::optional<Stat> parse_stat(std::string_view text);
std::string_view stat_name(Stat stat);
// Follows from count and sum alone.
bool is_total(Stat stat);

// The value that a share of a distribution's samples are not above: "p50", "p99.9".
struct Percentile {
  static constexpr size_t kCountMax = 10;  // of one request

  std::string name;
  double q = 0;  // 0 to 1

  // "p" and a decimal from 0 to 100; none for anything else.
  static std::optional<Percentile> parse(std::string_view text);
};

struct QueryRequest {
  std::vector<std::string> series;  // names or globs
  int64_t from_s = 0;               // unix seconds; half-open range [from_s, until_s)
  int64_t until_s = 0;
  std::optional<int64_t> step_s;      // none: the server chooses
  std::optional<int64_t> max_points;  // per series; none: kDefaultPoints when step_s is none too
  // kTotals when only stats of which is_total() is true will be read off the answer's buckets: quicker.
  // kHistograms where those of distributions are wanted, or percentiles.
  Wanted wanted = Wanted::kBuckets;
  std::vector<Percentile> percentiles = {};
  bool merges = false;  // all distributions among the series become one; others are left out
};

struct QueryLimits {
  static constexpr int64_t kDefaultPoints = 1000;
  size_t series_max = 10'000;                      // series of one answer
  int64_t points_max = 1'000'000;                  // slots of one answer, all series together
  size_t heatmap_cells_max = 1'000'000;            // rows times slots of one heatmap
  size_t histogram_bytes_max = size_t{256} << 20;  // of histograms that one query holds at a time
};

// One series of the answer: a bucket per output slot, empty where nothing was.
struct SeriesAnswer {
  std::string name;
  Kind kind = Kind::kGauge;
  std::vector<Bucket> slots;  // size (until_s - from_s) / step_s
  std::vector<SparseHistogram> histograms =
      {};  // as many, where they are wanted, of a distribution; else none
  // Of each that was asked for, as many; NaN where no histogram is. Of what is no distribution: none.
  std::vector<std::vector<double>> percentiles = {};
};

struct QueryAnswer {
  int64_t from_s = 0;   // aligned down to the step
  int64_t until_s = 0;  // aligned up
  int64_t step_s = 0;
  int64_t tier_s = 0;                // step of the tier it was read from
  int64_t event_slot_s = 10;         // length of the slots whose rates event buckets hold
  std::vector<SeriesAnswer> series;  // by name, each once
  uint64_t damaged_frames = 0;       // stored frames that failed their check and are missing from the answer
  uint64_t joined_histograms = 0;    // slots whose histograms had too many cells, and are coarser than others
  std::vector<std::string> merged = {};  // the names of those that became the one series, if they were to
};

// The number a bucket gives, or none where it is empty.
std::optional<double> stat_of(Stat stat, const Bucket& bucket, Kind kind, int64_t step_s,
                              int64_t event_slot_s);

struct SeriesInfo {
  std::string name;
  Kind kind = Kind::kGauge;
  int64_t last_s = 0;  // start of the newest slot that has a sample, unix seconds
};

struct SeriesPage {
  std::vector<SeriesInfo> series;  // by name
  bool truncated = false;          // more matched than asked for
};

}  // namespace statmill
