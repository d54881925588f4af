// Decodes the native histograms of remote_write, which 1.0 and 2.0 send in the same message:
// prometheus.Histogram (prometheus/prompb/types.proto and io/prometheus/write/v2/types.proto).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/verdict.h"
#include "proto/foreign_histogram.h"

namespace statmill {

// Thread-compatible.
struct NativeHistogram {
  // kUnsupported: a gauge of a histogram, or one whose counts are no whole numbers; kNotFinite: a sum that is
  // none; kOutOfRange: a schema that nobody knows; kBadBucket: it contradicts itself. Times are valid.
  Verdict<Refusal> verdict = kAccepted;
  ForeignHistogram histogram{};  // cumulative
  bool is_end = false;           // a stale marker: the series ends
  bool is_reset = false;         // the sender knows that it began again since the one before
  int64_t time_ms = 0;
  int64_t start_ms = 0;  // 2.0 only; 0: unknown
};

// Returns false if the message is damaged. Cost: linear in the bytes; memory for kSentBucketsMax buckets.
bool read_native_histogram(std::string_view message, NativeHistogram& out);

}  // namespace statmill
