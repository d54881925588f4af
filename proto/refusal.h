// Refusal: why a line or a sample of a sender is refused, in all dialects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace statmill {

// Why a sample is refused. Each reason has a counter; its text is a label in /metrics and never changes.
enum class Refusal : uint8_t {
  kFieldCount,     // too few or too many fields
  kBadValue,       // not a decimal number
  kNotFinite,      // nan or inf
  kOutOfRange,     // a number, a count or a cell's index that is too large or too small
  kBadTime,        // not a time in the dialect's form
  kBadBucket,      // 7 fields that contradict each other
  kEmptyName,      // no name, or an empty part between carets
  kNameTooLong,    // over kNameBytesMax
  kBadName,        // a control byte, or not UTF-8
  kBadTag,         // a tag that is not allowed in a canonical name
  kDuplicateTag,   // two values for one tag
  kTagLimit,       // over kTagsMax tags
  kFanOutLimit,    // more than kFanOutMax names in one line, or kFanOutBytesMax bytes of names
  kBadType,        // a missing or unknown statsd type, or temporality of OpenTelemetry
  kBadRate,        // a statsd sampling rate outside (0, 1]
  kBadExtension,   // a statsd extension that does not begin with a letter
  kUnsupported,    // a DogStatsD event, where events are not kept
  kReserved,       // the first byte is reserved for later use
  kBadMetadata,    // # without key or text; a family's unit or help
  kMetadataLimit,  // more or longer metadata than a connection, a family or the table of families may have
  kLineTooLong,    // over kLineBytesMax
  kUnterminated,   // the connection ended inside a line
  kBadPickle,      // a pickle that is none, or has more than lists, tuples, texts and numbers
  kWrongProtocol,  // a connection that speaks another protocol than its port
  kStateLimit,     // a new statsd gauge or set, or series of OpenTelemetry, and their limit is reached
  kTooOld,         // older than the retention of every tier
  kTooNew,         // too far in the future
  kSeriesLimit,    // a new name, and the table is full
  kNameLimit,      // a new name, and series with their names fill their share of RAM
  kSenderLimit,    // a new name, and its sender has reached its limit of new series
  kMemoryLimit,    // pending samples fill their share of RAM
  kKindMismatch,   // of another kind than the series
  kOutOfOrder,     // older than the last sample of its series, or another one of the same time
  kReplica,        // of a replica of Prometheus that is not the elected one of its cluster
  kCount_,         // number of reasons; not a reason
};

inline constexpr size_t kRefusalCount = static_cast<size_t>(Refusal::kCount_);

// Returns "field_count", "bad_value", ...
std::string_view refusal_label(Refusal reason);

}  // namespace statmill
