// Sample: one observation as received, with views into the read buffer. Parsers of all dialects produce
// samples; the table adds them to its series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "proto/histogram_partition.h"
#include "proto/number.h"

namespace statmill {

inline constexpr size_t kLineBytesMax = 65536;  // longer lines are refused (line_too_long)
inline constexpr size_t kNameBytesMax = 1024;   // of a canonical name

// The kind of a series. Its first sample sets it for good. Stored on disk: never renumber.
enum class Kind : uint8_t {
  kGauge = 0,         // observations: each sample counts as one
  kEvent = 1,         // occurrences: samples of a slot add up; read as a rate per second
  kDistribution = 2,  // observations with a histogram
};

inline constexpr bool is_kind(uint8_t stored) { return stored <= static_cast<uint8_t>(Kind::kDistribution); }

// A bucket that the sender made of many samples. Its fields may still contradict each other.
struct ReadyBucket {
  uint64_t count = 0;
  Number sum_of_squares;
  Number min;
  Number max;
  // The sender's histogram: indices ascend, counts are not 0. Empty if it sent none, which
  // loses nothing if all samples are equal.
  std::span<const HistogramCell> cells = {};
};

struct Sample {
  Sample() {}  // if defaulted, emplace_back() would first zero all of it: 8 of 139 ns of a parsed line

  std::string_view name;               // canonical: normalised and fanned out; lives as long as its Batch
  Kind kind = Kind::kGauge;            // ignored if the series exists: it keeps its own kind
  std::optional<int64_t> time_s;       // unix seconds; nullopt: the time of receipt
  Number value;                        // the observation, or the sum of a ready-made bucket
  const ReadyBucket* ready = nullptr;  // owned by its Batch; nullptr: a single observation
};

// Why a sample is refused. Each reason has a counter; its text is a label in /metrics and never changes.
enum class Refusal : uint8_t {
  kFieldCount,     // too few or too many fields
  kBadValue,       // not a decimal number
  kNotFinite,      // nan or inf
  kOutOfRange,     // a number that no double can hold
  kBadTime,        // not a time in the dialect's form
  kBadBucket,      // 7 fields that contradict each other
  kEmptyName,      // no name, or an empty part between carets
  kNameTooLong,    // over kNameBytesMax
  kBadName,        // a control byte, or not UTF-8
  kBadTag,         // a tag that is not allowed in a canonical name
  kDuplicateTag,   // two values for one tag
  kTagLimit,       // over kTagsMax tags
  kFanOutLimit,    // more than kFanOutMax names in one line
  kBadType,        // a missing or unknown statsd type
  kBadRate,        // a statsd sampling rate outside (0, 1]
  kBadExtension,   // a statsd extension that does not begin with a letter
  kUnsupported,    // a DogStatsD event
  kReserved,       // the first byte is reserved for later use
  kBadMetadata,    // # without key or text
  kMetadataLimit,  // more or longer metadata than a connection may have
  kLineTooLong,    // over kLineBytesMax
  kUnterminated,   // the connection ended inside a line
  kStateLimit,     // a new statsd gauge or set, and the limit of those is reached
  kTooOld,         // older than the retention of every tier
  kTooNew,         // too far in the future
  kSeriesLimit,    // a new name, and the table is full
  kSenderLimit,    // a new name, and its sender has reached its limit of new series
  kMemoryLimit,    // pending samples fill their share of RAM
  kCount_,         // number of reasons; not a reason
};

inline constexpr size_t kRefusalCount = static_cast<size_t>(Refusal::kCount_);

// Returns "field_count", "bad_value", ...
std::string_view refusal_label(Refusal reason);

}  // namespace statmill
