// The fields of an ExportMetricsServiceRequest that decoders read: their keys in JSON and their numbers in
// protobuf.
//
// Source: github.com/open-telemetry/opentelemetry-proto, metrics.proto, common.proto and resource.proto
// of 1.5.
#pragma once

#include <cstdint>
#include <string_view>

namespace statmill {

// What the value of a field is.
enum class OtlpKind : uint8_t {
  kText,
  kBytes,  // in base64
  kBool,
  kUnsigned,     // a varint
  kSigned,       // a varint in two's complement
  kZigzag,       // a varint
  kFixed,        // 8 bytes, not negative
  kSignedFixed,  // 8 bytes in two's complement
  kReal,
  kHex,  // bytes, in JSON as hexadecimal digits
  kMessage,
};

enum class OtlpMessage : uint8_t {
  kRequest,
  kResourceMetrics,
  kResource,
  kScopeMetrics,
  kScope,
  kMetric,
  kNumbers,
  kHistograms,
  kExponentials,
  kSummaries,
  kNumber,
  kHistogram,
  kExponential,
  kBuckets,
  kSummary,
  kQuantile,
  kKeyValue,
  kAnyValue,
  kArray,
  kMap,
  kExemplar,
};

struct OtlpField {
  std::string_view key;
  uint64_t number = 0;
  OtlpKind kind = OtlpKind::kText;
  bool is_repeated = false;
  OtlpMessage message = OtlpMessage::kRequest;  // of a message
};

// Returns nullptr if the message has no such field, or nobody reads it.
const OtlpField* find_otlp_field(OtlpMessage message, std::string_view key);

}  // namespace statmill
