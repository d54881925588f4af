// Answers to clients of OpenTelemetry: an ExportMetricsServiceResponse, or a google.rpc.Status for errors, in
// the encoding of the request (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP Response").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/http/http_message.h"
#include "server/otlp/otlp_intake.h"

namespace statmill {

enum class OtlpEncoding : uint8_t { kProtobufBytes, kJsonText };

// Returns the encoding that a Content-Type names; nullopt: another type.
std::optional<OtlpEncoding> otlp_encoding(std::string_view content_type);

// 200; what was rejected is its partial success.
HttpResponse otlp_answer(OtlpEncoding encoding, const OtlpAccount& account);
HttpResponse otlp_error(OtlpEncoding encoding, unsigned status, std::string_view message);

}  // namespace statmill
