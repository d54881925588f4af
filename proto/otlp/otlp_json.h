// Turns the JSON encoding of an ExportMetricsServiceRequest into that of protobuf, so that one decoder reads
// both.
//
// Source: opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding": keys in lowerCamelCase, unknown ones
// are ignored; 64-bit integers are numbers or texts; enums are numbers; doubles may be "NaN", "Infinity" and
// "-Infinity". null is the same as no value.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// How deep objects and arrays may be inside one another.
inline constexpr size_t kOtlpJsonDepthMax = 64;

// Errors: kInvalid (no JSON, deeper, or a value of another type than its key has). Cost: linear in the bytes;
// the result has at most five times as many.
Result<std::string> otlp_json_to_protobuf(std::string_view json);

}  // namespace statmill
