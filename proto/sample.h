// Sample: one observation as received, in views into the read buffer. What every dialect's parser yields and
// the table takes.
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

// What a series is. Fixed by the first sample that names it; stored on disk: never renumber.
enum class Kind : uint8_t {
  kGauge = 0,         // observations: each sample counts as one
  kEvent = 1,         // occurrences: samples of a slot add up; read as a rate per second
  kDistribution = 2,  // observations, of which a histogram is kept too
};

inline constexpr bool is_kind(uint8_t stored) { return stored <= static_cast<uint8_t>(Kind::kDistribution); }

// A bucket that the sender made of many samples. Not yet checked for sense.
struct ReadyBucket {
  uint64_t count = 0;
  Number sum_of_squares;
  Number min;
  Number max;
  // How they spread, ascending indices, counts not 0: of a histogram that the sender made. Empty when it told
  // none; of equal samples that is no loss.
  std::span<const HistogramCell> cells = {};
};

struct Sample {
  Sample() {}  // not defaulted, else emplace_back() would zero it all first: 8 of 139 ns of a parsed line

  std::string_view name;               // canonical: normalised and fanned out; lives as long as its Batch
  Kind kind = Kind::kGauge;            // as this sample says; an existing series keeps its own
  std::optional<int64_t> time_s;       // unix seconds; none: the time of receipt
  Number value;                        // the observation, or the sum of a ready-made bucket
  const ReadyBucket* ready = nullptr;  // of its batch; none: a single observation
};

// Why a sample is not taken. Each has a counter; text forms are labels in /metrics and never change.
enum class Refusal : uint8_t {
  kFieldCount,     // not as many fields as the dialect has
  kBadValue,       // not a decimal number
  kNotFinite,      // nan or inf
  kOutOfRange,     // a number that no double can hold
  kBadTime,        // not a time as the dialect writes it
  kBadBucket,      // 7 fields that contradict each other
  kEmptyName,      // no name, or an empty part between carets
  kNameTooLong,    // over kNameBytesMax
  kBadName,        // a control byte, or not UTF-8
  kBadTag,         // a tag that cannot stand in a canonical name
  kDuplicateTag,   // two values of one tag
  kTagLimit,       // over kTagsMax tags
  kFanOutLimit,    // more than kFanOutMax names of one line
  kBadType,        // a statsd type that is missing or not known
  kBadRate,        // a statsd sampling rate not in (0, 1]
  kBadExtension,   // a statsd extension that begins with no letter
  kUnsupported,    // a DogStatsD event
  kReserved,       // first byte kept for later use
  kBadMetadata,    // # without key or text
  kMetadataLimit,  // more or longer metadata than a connection may hold
  kLineTooLong,    // over kLineBytesMax
  kUnterminated,   // the connection ended inside a line
  kStateLimit,     // a new gauge or set of statsd, and as many are known as may be
  kTooOld,         // older than every tier keeps
  kTooNew,         // too far in the future
  kSeriesLimit,    // a new name, and the table is full
  kSenderLimit,    // a new name, and its sender has made as many series as it may
  kMemoryLimit,    // pending samples fill their share of RAM
  kCount_,         // how many there are; not a reason
};

inline constexpr size_t kRefusalCount = static_cast<size_t>(Refusal::kCount_);

// "field_count", "bad_value", ...
std::string_view refusal_label(Refusal reason);

}  // namespace statmill
