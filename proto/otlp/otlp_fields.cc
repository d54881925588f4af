#include "proto/otlp/otlp_fields.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace statmill {
namespace {

using Field = OtlpField;
using Kind = OtlpKind;
using Type = OtlpMessage;

constexpr Field message(std::string_view key, uint64_t number, Type type) {
  return {key, number, Kind::kMessage, false, type};
}
constexpr Field messages(std::string_view key, uint64_t number, Type type) {
  return {key, number, Kind::kMessage, true, type};
}

// Only what the decoder reads.
constexpr std::array kRequest = {messages("resourceMetrics", 1, Type::kResourceMetrics)};
constexpr std::array kResourceMetrics = {message("resource", 1, Type::kResource),
                                         messages("scopeMetrics", 2, Type::kScopeMetrics)};
constexpr std::array kResource = {messages("attributes", 1, Type::kKeyValue)};
constexpr std::array kScopeMetrics = {message("scope", 1, Type::kScope),
                                      messages("metrics", 2, Type::kMetric)};
constexpr std::array kScope = {Field{"name", 1}, Field{"version", 2},
                               messages("attributes", 3, Type::kKeyValue)};
constexpr std::array kMetric = {Field{"name", 1},
                                Field{"description", 2},
                                Field{"unit", 3},
                                message("gauge", 5, Type::kNumbers),
                                message("sum", 7, Type::kNumbers),
                                message("histogram", 9, Type::kHistograms),
                                message("exponentialHistogram", 10, Type::kExponentials),
                                message("summary", 11, Type::kSummaries)};
constexpr std::array kNumbers = {messages("dataPoints", 1, Type::kNumber),
                                 Field{"aggregationTemporality", 2, Kind::kUnsigned},
                                 Field{"isMonotonic", 3, Kind::kBool}};
constexpr std::array kHistograms = {messages("dataPoints", 1, Type::kHistogram),
                                    Field{"aggregationTemporality", 2, Kind::kUnsigned}};
constexpr std::array kExponentials = {messages("dataPoints", 1, Type::kExponential),
                                      Field{"aggregationTemporality", 2, Kind::kUnsigned}};
constexpr std::array kSummaries = {messages("dataPoints", 1, Type::kSummary)};
constexpr std::array kNumber = {
    messages("attributes", 7, Type::kKeyValue), Field{"startTimeUnixNano", 2, Kind::kFixed},
    Field{"timeUnixNano", 3, Kind::kFixed},     Field{"asDouble", 4, Kind::kReal},
    Field{"asInt", 6, Kind::kSignedFixed},      messages("exemplars", 5, Type::kExemplar),
    Field{"flags", 8, Kind::kUnsigned}};
constexpr std::array kHistogram = {messages("attributes", 9, Type::kKeyValue),
                                   Field{"startTimeUnixNano", 2, Kind::kFixed},
                                   Field{"timeUnixNano", 3, Kind::kFixed},
                                   Field{"count", 4, Kind::kFixed},
                                   Field{"sum", 5, Kind::kReal},
                                   Field{"bucketCounts", 6, Kind::kFixed, true},
                                   Field{"explicitBounds", 7, Kind::kReal, true},
                                   messages("exemplars", 8, Type::kExemplar),
                                   Field{"flags", 10, Kind::kUnsigned},
                                   Field{"min", 11, Kind::kReal},
                                   Field{"max", 12, Kind::kReal}};
constexpr std::array kExponential = {messages("attributes", 1, Type::kKeyValue),
                                     Field{"startTimeUnixNano", 2, Kind::kFixed},
                                     Field{"timeUnixNano", 3, Kind::kFixed},
                                     Field{"count", 4, Kind::kFixed},
                                     Field{"sum", 5, Kind::kReal},
                                     Field{"scale", 6, Kind::kZigzag},
                                     Field{"zeroCount", 7, Kind::kFixed},
                                     message("positive", 8, Type::kBuckets),
                                     message("negative", 9, Type::kBuckets),
                                     Field{"flags", 10, Kind::kUnsigned},
                                     messages("exemplars", 11, Type::kExemplar),
                                     Field{"min", 12, Kind::kReal},
                                     Field{"max", 13, Kind::kReal},
                                     Field{"zeroThreshold", 14, Kind::kReal}};
constexpr std::array kBuckets = {Field{"offset", 1, Kind::kZigzag},
                                 Field{"bucketCounts", 2, Kind::kUnsigned, true}};
constexpr std::array kSummary = {messages("attributes", 7, Type::kKeyValue),
                                 Field{"startTimeUnixNano", 2, Kind::kFixed},
                                 Field{"timeUnixNano", 3, Kind::kFixed},
                                 Field{"count", 4, Kind::kFixed},
                                 Field{"sum", 5, Kind::kReal},
                                 messages("quantileValues", 6, Type::kQuantile),
                                 Field{"flags", 8, Kind::kUnsigned}};
constexpr std::array kQuantile = {Field{"quantile", 1, Kind::kReal}, Field{"value", 2, Kind::kReal}};
constexpr std::array kKeyValue = {Field{"key", 1}, message("value", 2, Type::kAnyValue)};
constexpr std::array kAnyValue = {Field{"stringValue", 1},
                                  Field{"boolValue", 2, Kind::kBool},
                                  Field{"intValue", 3, Kind::kSigned},
                                  Field{"doubleValue", 4, Kind::kReal},
                                  message("arrayValue", 5, Type::kArray),
                                  message("kvlistValue", 6, Type::kMap),
                                  Field{"bytesValue", 7, Kind::kBytes}};
constexpr std::array kExemplar = {messages("filteredAttributes", 7, Type::kKeyValue),
                                  Field{"timeUnixNano", 2, Kind::kFixed},
                                  Field{"asDouble", 3, Kind::kReal},
                                  Field{"asInt", 6, Kind::kSignedFixed},
                                  Field{"spanId", 4, Kind::kHex},
                                  Field{"traceId", 5, Kind::kHex}};
constexpr std::array kArray = {messages("values", 1, Type::kAnyValue)};
constexpr std::array kMap = {messages("values", 1, Type::kKeyValue)};

std::span<const Field> fields_of(Type type) {
  constexpr std::array<std::span<const Field>, 21> kFields = {
      kRequest,    kResourceMetrics, kResource,  kScopeMetrics, kScope,     kMetric,      kNumbers,
      kHistograms, kExponentials,    kSummaries, kNumber,       kHistogram, kExponential, kBuckets,
      kSummary,    kQuantile,        kKeyValue,  kAnyValue,     kArray,     kMap,         kExemplar};
  return kFields[static_cast<size_t>(type)];
}

}  // namespace

const OtlpField* find_otlp_field(OtlpMessage message, std::string_view key) {
  const auto fields = fields_of(message);
  const auto found = std::ranges::find(fields, key, &OtlpField::key);
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace statmill
