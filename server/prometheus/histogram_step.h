// What a cumulative histogram adds to its distribution: what each of its buckets went up by since the last
// one, which is remembered in the buckets of its sender.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "ingest/value_step.h"
#include "proto/foreign_histogram.h"

namespace statmill {

enum class HistogramStepKind : uint8_t {
  kAll,         // adds all that it has counted
  kDifference,  // adds `difference`
  kNothing,     // moves on and adds nothing: it is the first and its start is unknown
  kChanged,     // the same: it counts in other buckets than the last one, from the same start
  kRepeated,    // nothing: the same time again
  kOlder,       // nothing: the last one has what this one counted
};

struct HistogramStep {
  HistogramStepKind kind = HistogramStepKind::kNothing;
  ForeignHistogram difference{};  // its count may be 0
  bool is_reset = false;          // it began again
};

// Returns what a histogram adds, and moves `last` on unless it adds nothing for its time. `at` has its times
// and its sum. `is_new`: `last` is empty. Requires: check_histogram() accepts it. Cost: linear in its
// buckets.
HistogramStep histogram_step(const ForeignHistogram& sent, const TimedValue& at, bool is_new,
                             LastValue& last);

// What is remembered of a histogram (storage/FORMAT.md, "Last values"); its sum is LastValue::value.
std::string encode_histogram(const ForeignHistogram& histogram);
// The histogram without its bounds, and their hash. Errors: kCorrupt.
struct RememberedHistogram {
  ForeignHistogram histogram;
  uint64_t bounds_hash = 0;  // of one with explicit bounds
};
Result<RememberedHistogram> decode_histogram(std::string_view bytes);

}  // namespace statmill
