// Query: a request and its answer, independent of JSON and HTTP.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "proto/sample.h"
#include "server/names/label_matcher.h"
#include "server/names/search_words.h"
#include "server/query/query_limits.h"
#include "storage/bucket.h"
#include "storage/histogram.h"
#include "storage/slot_columns.h"

namespace statmill {

// At least this much of a slot under way counts as passed, so that its first event is no high rate.
inline constexpr int64_t kPassedMin_ms = 1000;
// Returns the end of the time over which rates are computed, in unix milliseconds: later time has not passed.
inline int64_t rates_until_ms(Timestamp now, int64_t slot_ms) {
  const int64_t now_ms = now.time_since_epoch().count();
  return std::max(now_ms, now_ms / slot_ms * slot_ms + kPassedMin_ms);
}

struct TimeRange {
  int64_t begin_ms = 0;
  int64_t end_ms = 0;
};
// Returns over how much of a range a rate is computed: what has passed until `until_ms` (rates_until_ms()). A
// sender whose clock runs ahead fills slots that have not passed; all slots with samples, which are of
// `slots_ms` together, count nevertheless. So no rate exceeds the mean of the rates of its slots, but for
// those of distributions, which pass 0 to divide all series by one time.
inline int64_t passed_of(TimeRange range, int64_t until_ms, int64_t slots_ms) {
  return std::min(std::max(until_ms - range.begin_ms, slots_ms), range.end_ms - range.begin_ms);
}

// Returns the total of these rates of slots over `length_ms`, per second. It is correctly rounded if the
// bucket is decimal, and finite whenever the exact quotient is. Requires: length_ms > 0.
double rate_over(const Bucket& rates, int64_t slot_ms, int64_t length_ms);

// An integer / 10^scale, by which decimals are multiplied.
struct DecimalFactor {
  int64_t integer = 1;
  int8_t scale = 0;
};
// Returns factor / 10^scale without the tens that both have, so that a product of `scale` decimals and the
// factor fits 64 bits if it is short enough.
DecimalFactor cancel_tens(int64_t factor, int8_t scale);

// The statistics of a bucket. A bucket of an event or counter series holds the rates of its 10 s slots. The
// rate of a slot without events is 0; a slot without increments of a counter is absent.
enum class Stat : uint8_t {
  kCount,   // gauge: samples; event, counter: 10 s slots
  kSum,     // gauge: sum of samples; event, counter: total
  kAvg,     // gauge: mean of the samples; event, counter: mean of the rates per second
  kStddev,  // sample standard deviation (n - 1) of the samples or rates; 0 if there is only one
  kMin,
  kMax,
  kRate,  // per second: sum / step; event: the same as kAvg
};

// Parses "count", "sum", "avg", "stddev", "min", "max" or "rate"; returns nullopt for anything else.
std::optional<Stat> parse_stat(std::string_view text);
std::string_view stat_name(Stat stat);
// Returns what the statistic is computed from.
Parts parts_of(Stat stat);

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
  // Widens the range to whole steps; otherwise the first and the last point cover only what is asked.
  bool align = false;
  // What the stats need (parts_of()); less is faster. Histograms and percentiles need `histograms`.
  Parts parts = {.extremes = true, .squares = true};
  std::vector<Percentile> percentiles = {};
  // Merges all distributions among the series into one and omits other series. Requires: parts.histograms.
  bool merges = false;
  // The series of the answer have their histograms. Requires: parts.histograms.
  bool keeps_histograms = false;
  // If there are any, the series are those that satisfy all of them, and `series` is empty.
  std::vector<LabelMatcher> matchers = {};
  // Lists names without a series in the answer; otherwise they are an error.
  bool lists_missing = false;
  bool wants_about = false;  // SeriesAnswer::about
};

// Bin i covers [first_s + i * step_s, first_s + (i + 1) * step_s), cut to [from_s, until_s): so the first and
// the last bin may be shorter than the step, and no sample outside the asked range counts.
struct Bins {
  int64_t first_s = 0;
  int64_t step_s = 1;
  size_t count = 0;
  int64_t from_s = 0;
  int64_t until_s = 0;

  int64_t end_s() const { return first_s + static_cast<int64_t>(count) * step_s; }
  int64_t begin_s(size_t bin) const { return first_s + static_cast<int64_t>(bin) * step_s; }
  int64_t length_s(size_t bin) const {
    return std::min(begin_s(bin) + step_s, until_s) - std::max(begin_s(bin), from_s);
  }
  bool are_whole() const { return from_s == first_s && until_s == end_s(); }
  // Requires: first_s <= time_s < end_s().
  size_t at(int64_t time_s) const { return static_cast<size_t>((time_s - first_s) / step_s); }
};

// The slot of an event or counter series that is still under way: its rate is its total over the time that
// has passed.
struct OpenSlot {
  size_t point = 0;        // whose other slots are complete
  Bucket rate;             // the total over the whole length of the slot, as complete slots have it
  Bucket rate_so_far;      // the total over the time that has passed
  int64_t missing_ms = 0;  // time until the slot ends
};

// From when to when a series has samples, in unix seconds.
struct SeriesAbout {
  int64_t first_s = 0;      // start of the oldest slot that ever had one
  int64_t last_s = 0;       // start of the newest one
  int64_t kept_from_s = 0;  // what ends before this time is past the retention
};

// One series of the answer.
struct SeriesAnswer {
  std::string name;
  Kind kind = Kind::kGauge;
  SlotColumns points;  // one element per point, absent where no slot of it has data; with histograms if
                       // the request merges distributions or keeps them
  std::optional<OpenSlot> open = std::nullopt;  // not in `points`
  // One vector per requested percentile, with one value per point; NaN where the point has no histogram.
  // The inner vectors are empty unless the series is a distribution.
  std::vector<std::vector<double>> percentiles = {};
  // What the values are counted in, as it was given or as the name ends. Empty if it is unknown, or if series
  // of several units are merged.
  std::string unit = {};
  uint8_t joined_power =
      0;  // SeriesRow::joined_power, of a distribution; of the coarsest if several are merged
  // If the request wants it and the series has samples; of all together if several are merged.
  std::optional<SeriesAbout> about = {};
};

// Returns how far a percentile may be from the sample, as a part of it. A bucket of our partition is at most
// 2^-5 of its values wide, and a percentile is its middle. A sender's wider buckets count at their own
// middles.
double percentile_error(uint8_t joined_power);

struct QueryAnswer {
  Bins bins;
  int64_t tier_s = 0;         // step of the tier that was read
  int64_t event_slot_s = 10;  // length of the slots whose rates are in the buckets of events and counters
  std::vector<SeriesAnswer> series;  // by name, each once
  uint64_t damaged_frames = 0;       // stored frames that failed their check and are missing from the answer
  uint64_t joined_histograms = 0;    // points whose histograms are coarser because they had too many cells
  std::vector<std::string> merged = {};   // names of the merged series, if the request merges
  std::vector<std::string> missing = {};  // as in the request, if it lists them
  int64_t until_ms = INT64_MAX;           // rates_until_ms()

  // Returns how much of a point has passed: passed_of() its slots, which are of `slots_ms`.
  int64_t passed_ms(size_t point, int64_t slots_ms) const {
    const int64_t begin_ms = std::max(bins.begin_s(point), bins.from_s) * 1000;
    return passed_of({begin_ms, begin_ms + bins.length_s(point) * 1000}, until_ms, slots_ms);
  }
};

// One number of an answer: a decimal, which is integer / 10^scale, or any double.
class AnswerNumber {
 public:
  // Requires: 0 <= scale <= Bucket::kScaleMax.
  static AnswerNumber decimal(int64_t integer, int scale) { return {integer, static_cast<int8_t>(scale)}; }
  static AnswerNumber real(double value) { return {std::bit_cast<int64_t>(value), kNotDecimal}; }

  double value() const;  // the nearest double
  bool is_finite() const { return scale_ != kNotDecimal || std::isfinite(std::bit_cast<double>(integer_)); }
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
// A bucket in doubles has only a rounded sum and M2, so its numbers are rounded again. `length_s`: of the
// point, for the rate of all but events.
std::optional<AnswerNumber> stat_number(Stat stat, const Bucket& bucket, Kind kind, int64_t length_s,
                                        int64_t event_slot_s);
// Returns the same for a point of an answer, with the open slot of an event or counter series.
std::optional<AnswerNumber> stat_at(Stat stat, const QueryAnswer& answer, const SeriesAnswer& series,
                                    size_t point);

struct SeriesInfo {
  std::string name;
  Kind kind = Kind::kGauge;
  int64_t last_s = 0;  // start of the newest slot that has a sample, unix seconds
  // Only in lists of series.
  int64_t first_s = 0;         // start of the oldest slot that ever had one
  std::string unit = {};       // as it was given, or as the name ends
  std::string help = {};       // empty: none was given
  std::string retention = {};  // as Tiers::text()
};

// The parts that paths have after a prefix.
struct TreePage {
  struct Child {
    std::string part;
    uint64_t series = 0;  // whose path is prefix + part or begins with it
    bool is_branch = false;
    bool has_tags = false;
    std::optional<SeriesInfo> leaf = {};  // the series with this path and no tags
  };
  uint64_t series = 0;          // of all children, also of those that the page leaves out
  std::vector<Child> children;  // ascending
  bool has_more = false;
  uint64_t names = 0;  // differs from that of another page if names have changed
};

// The series whose names match a search.
struct SearchPage {
  struct Found {
    SeriesInfo series;
    NameHits hits;  // in the name
  };
  std::vector<Found> series;  // the best first
  uint64_t total = 0;         // names that match
  bool is_complete = true;    // false: the time was up, and there may be more
  double ms = 0;
  uint64_t names = 0;  // as in TreePage
};

struct SeriesPage {
  std::vector<SeriesInfo> series;  // by name
  bool truncated = false;          // more series matched than the limit
};

}  // namespace statmill
