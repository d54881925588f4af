#include "server/otlp/otlp_routes.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "proto/otlp/otlp_json.h"
#include "server/http/gunzip.h"
#include "server/otlp/otlp_answers.h"
#include "server/prometheus/remote_answers.h"

namespace statmill {
namespace {

constexpr std::array<std::string_view, 2> kCodings = {"gzip", "identity"};
constexpr std::string_view kOnlyMetrics =
    "statmill stores metrics only; send traces and logs elsewhere, or none "
    "(OTEL_TRACES_EXPORTER=none, OTEL_LOGS_EXPORTER=none)";

// What is refused before the body is there has no encoding yet.
HttpResponse refuse(unsigned status, std::string_view message) {
  return otlp_error(OtlpEncoding::kJsonText, status, message);
}
// Whatever the encoding of traces and logs is, they are not stored.
HttpResponse refuse_other(unsigned status, std::string_view message) {
  return status == 415 ? refuse(404, kOnlyMetrics) : refuse(status, message);
}

// Returns the message in the encoding of protobuf; in `store`, unless it is the body itself.
Result<std::string_view> message_of(const HttpRequest& request, OtlpEncoding encoding, std::string& store) {
  const bool is_json = encoding == OtlpEncoding::kJsonText;
  const size_t bytes_max = is_json ? kOtlpJsonBytesMax : kOtlpMessageBytesMax;
  auto body = decoded_body(request, bytes_max, store);
  if (!body || !is_json) return body;
  auto transcoded = otlp_json_to_protobuf(*body);
  if (!transcoded) return transcoded.error();
  store = *std::move(transcoded);
  return std::string_view(store);
}

HttpResponse handle(const OtlpIntake& intake, const HttpRequest& request, Timestamp now) {
  const auto encoding = otlp_encoding(request.content_type);
  if (!encoding) return refuse(415, "the body must be application/x-protobuf or application/json");
  if (!intake.table().has_room()) return otlp_error(*encoding, 503, kNoRoomText);
  std::string store;
  const auto message = message_of(request, *encoding, store);
  const auto account =
      message ? intake.submit(*message, request.body.size(), now) : Result<OtlpAccount>(message.error());
  if (!account) {
    const unsigned status = account.error().code == ErrorCode::kLimit ? 413 : 400;
    return otlp_error(*encoding, status, account.error().message);
  }
  HttpResponse response = otlp_answer(*encoding, *account);
  hold_until_durable(response, intake.table(), account->ticket);
  return response;
}

}  // namespace

std::vector<Route> otlp_routes(const OtlpIntake& intake, const Clock& clock) {
  std::vector<Route> routes;
  Route metrics{"POST",       "/v1/metrics", {}, kOtlpBodyBytesMax, {}, "send metrics of OpenTelemetry",
                Lane::kMemory};
  metrics.respond = [&intake, &clock](const HttpRequest& request, const Url&) {
    return handle(intake, request, clock.wall());
  };
  metrics.refuse = refuse;
  routes.push_back(std::move(metrics));
  for (const std::string_view path : {"/v1/traces", "/v1/logs"}) {
    Route route{"POST", path, {}, kOtlpBodyBytesMax, {}, {}, Lane::kLoop};
    route.respond = [](const HttpRequest& request, const Url&) {
      const auto encoding = otlp_encoding(request.content_type).value_or(OtlpEncoding::kJsonText);
      return otlp_error(encoding, 404, kOnlyMetrics);
    };
    route.refuse = refuse_other;
    routes.push_back(std::move(route));
  }
  for (Route& route : routes) {
    route.strictness = Strictness::kLenient;
    route.role = Role::kWrite;
    route.codings = kCodings;
    route.is_traffic = true;
  }
  return routes;
}

}  // namespace statmill
