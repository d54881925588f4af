#include "server/otlp/otlp_answers.h"

#include <string>

#include "base/bytes.h"
#include "server/json.h"

namespace statmill {
namespace {

constexpr std::string_view kProtobufType = "application/x-protobuf";

// The codes of google.rpc.Code.
uint64_t code_of(unsigned status) {
  constexpr uint64_t kInvalidArgument = 3;
  constexpr uint64_t kPermissionDenied = 7;
  constexpr uint64_t kResourceExhausted = 8;
  constexpr uint64_t kUnimplemented = 12;
  constexpr uint64_t kUnavailable = 14;
  switch (status) {
    case 403:
      return kPermissionDenied;
    case 404:
    case 405:
      return kUnimplemented;
    case 413:
      return kResourceExhausted;
    case 503:
      return kUnavailable;
    default:
      return kInvalidArgument;
  }
}

void write_integer(std::string& out, uint64_t field, uint64_t value) {
  Writer writer(out);
  writer.varint(field << 3);
  writer.varint(value);
}

void write_text(std::string& out, uint64_t field, std::string_view text) {
  Writer writer(out);
  writer.varint(field << 3 | 2);
  writer.varint(text.size());
  writer.bytes(text);
}

std::string message_of(const OtlpAccount& account) {
  return std::to_string(account.rejected) + " of " + std::to_string(account.points) +
         " data points are rejected, the others are stored: " + account.reasons +
         "; GET /api/v1/status/rejects shows some";
}

}  // namespace

std::optional<OtlpEncoding> otlp_encoding(std::string_view content_type) {
  if (is_media_type(content_type, kProtobufType)) return OtlpEncoding::kProtobufBytes;
  if (is_media_type(content_type, kJson)) return OtlpEncoding::kJsonText;
  return std::nullopt;
}

HttpResponse otlp_answer(OtlpEncoding encoding, const OtlpAccount& account) {
  HttpResponse response;
  if (encoding == OtlpEncoding::kProtobufBytes) {
    response.content_type = kProtobufType;
    if (account.rejected == 0) return response;
    std::string partial;
    write_integer(partial, 1, account.rejected);
    write_text(partial, 2, message_of(account));
    write_text(response.body, 1, partial);
    return response;
  }
  JsonObject object(response.body);
  if (account.rejected > 0) {
    JsonObject partial(object.key("partialSuccess"));
    partial.text("rejectedDataPoints", std::to_string(account.rejected));
    partial.text("errorMessage", message_of(account));
  }
  return response;
}

HttpResponse otlp_error(OtlpEncoding encoding, unsigned status, std::string_view message) {
  HttpResponse response;
  response.status = status;
  response.may_retry = status == 503;
  if (encoding == OtlpEncoding::kProtobufBytes) {
    response.content_type = kProtobufType;
    write_integer(response.body, 1, code_of(status));
    write_text(response.body, 2, message);
    return response;
  }
  JsonObject object(response.body);
  object.count("code", code_of(status));
  object.text("message", message);
  return response;
}

}  // namespace statmill
