// SeriesSource: the leaves of a plan: a selector, and a function of the samples in a window before each
// point. The engine that reads tables and store implements it; tests have one in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/names/label_matcher.h"
#include "server/query/numbers.h"

namespace statmill {

// What a leaf computes of a series at each point T. A window of `range` at T has the slots that begin in
// [T - range, T).
enum class LeafFunction : uint8_t {
  kInstant,    // the newest present slot that begins in [T - lookback, T): its mean
  kTimestamp,  // the beginning of that slot, in seconds
  kPresence,   // 1 if there is one: for count(), group(), absent(), and the right side of and, unless
  // Exact on any tier.
  kAvg,
  kMin,
  kMax,
  kSum,
  kCount,
  kStddev,  // of the population
  kStdvar,
  kPresent,   // 1
  kBuckets,   // the histogram, or of a gauge the bucket, of all samples
  kIncrease,  // of events, counters and distributions; of gauges the algorithm of Prometheus
  kRate,
  // On single samples.
  kDelta,
  kIrate,
  kIdelta,
  kFirst,
  kLast,
  kTimeOfFirst,
  kTimeOfLast,
  kTimeOfMin,
  kTimeOfMax,
  kChanges,
  kResets,
  kDeriv,
  kPredictLinear,  // parameters[0]: seconds
  kSmoothing,      // double exponential; parameters: smoothing factor, trend factor
  kQuantile,       // parameters[0]: 0 to 1
  kMad,
};

// Returns whether the function is about the newest slot, as that of a selector without a range: a series that
// has ended has none.
inline bool reads_newest(LeafFunction function) {
  return function == LeafFunction::kInstant || function == LeafFunction::kTimestamp ||
         function == LeafFunction::kPresence;
}

// Returns the PromQL name, "avg_over_time"; "instant" and "presence" for the first and the third.
std::string_view leaf_function_name(LeafFunction function);

struct LeafRequest {
  std::vector<LabelMatcher> matchers;
  LeafFunction function = LeafFunction::kInstant;
  Grid grid;
  int64_t range_ms = 0;             // of the window; of kInstant and its like, the lookback
  int64_t offset_ms = 0;            // subtracted from each T
  std::optional<int64_t> at_ms;     // the modifier @: replaces each T before the offset
  std::vector<Numbers> parameters;  // one value per point each
};

// What an answer says in addition to its numbers.
struct QueryNotes {
  int64_t tier_s = 0;                 // step of the coarsest tier that was read; 0: none was
  std::vector<std::string> infos;     // such as "means of 5 min are used as samples"; each once
  std::vector<std::string> warnings;  // such as damaged frames; each once
};

class SeriesSource {
 public:
  virtual ~SeriesSource() = default;

  // Calls `take` with each series that has a value at any point, in no particular order, until it fails;
  // returns its error then. The labels include `__name__`. Errors: kInvalid (a regular expression), kLimit,
  // kBusy, kIo, kCorrupt, and those of the query's control (cancelled, timeout).
  virtual Status read(const LeafRequest& request, QueryNotes& notes,
                      const std::function<Status(SeriesValues)>& take) = 0;

  // Returns another value once what is read no longer fits what was read before: with another retention, a
  // leaf has another range. Thread-safe.
  virtual const void* moment() const { return nullptr; }
};

}  // namespace statmill
