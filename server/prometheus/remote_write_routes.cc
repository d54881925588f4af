#include "server/prometheus/remote_write_routes.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "server/prometheus/remote_answers.h"

namespace statmill {
namespace {

constexpr std::array<std::string_view, 1> kCodings = {"snappy"};
constexpr std::string_view kMediaType = "application/x-protobuf";

// Returns the version that a Content-Type names; nullopt: another type. Without a message's name it is 1.0,
// and so it is without a field, as some old senders do.
std::optional<RemoteWriteVersion> version_of(std::string_view content_type) {
  if (content_type.empty()) return RemoteWriteVersion::k1;
  if (!is_media_type(content_type, kMediaType)) return std::nullopt;
  constexpr std::string_view kMessage = "proto=";
  const size_t at = content_type.find(kMessage);
  if (at == std::string_view::npos) return RemoteWriteVersion::k1;
  std::string_view name = content_type.substr(at + kMessage.size());
  name = name.substr(0, name.find_first_of("; "));
  if (name.starts_with('"') && name.ends_with('"') && name.size() > 1) name = name.substr(1, name.size() - 2);
  if (name == "prometheus.WriteRequest") return RemoteWriteVersion::k1;
  if (name == "io.prometheus.write.v2.Request") return RemoteWriteVersion::k2;
  return std::nullopt;
}

HttpResponse answer(const RemoteAccount& account, RemoteWriteVersion version) {
  const std::string refused = refusal_text(account);
  HttpResponse response{.status = 204, .body = {}};
  if (!refused.empty()) response = error_response(400, refused + "; GET /api/v1/status/rejects shows some");
  if (version == RemoteWriteVersion::k2) {
    response.fields = {{"X-Prometheus-Remote-Write-Samples-Written", std::to_string(account.accepted)},
                       {"X-Prometheus-Remote-Write-Histograms-Written", "0"},
                       {"X-Prometheus-Remote-Write-Exemplars-Written", std::to_string(account.exemplars)}};
  }
  return response;
}

HttpResponse handle(const RemoteWriteIntake& intake, const HttpRequest& request, Timestamp now) {
  const auto version = version_of(request.content_type);
  if (!version)
    return error_response(415,
                          "the body must be application/x-protobuf, a prometheus.WriteRequest or an "
                          "io.prometheus.write.v2.Request");
  if (!intake.table().has_room()) return no_room();
  const Result<RemoteAccount> account = intake.submit(*version, request.body, now);
  if (!account)
    return error_response(account.error().code == ErrorCode::kLimit ? 413 : 400, account.error().message);
  HttpResponse response = answer(*account, *version);
  // The good samples of a request that is refused in part are not sent again, so they must be durable, too.
  hold_until_durable(response, intake.table(), account->ticket);
  return response;
}

}  // namespace

std::vector<Route> remote_write_routes(const RemoteWriteIntake& intake, const Clock& clock) {
  std::vector<Route> routes;
  for (const std::string_view path : {"/api/v1/write", "/prometheus/api/v1/write"}) {
    Route route{"POST", path, {}, kRemoteBodyBytesMax, {}, "send samples by remote_write", Lane::kMemory};
    route.strictness = Strictness::kLenient;
    route.role = Role::kWrite;
    route.codings = kCodings;
    route.is_traffic = true;
    route.respond = [&intake, &clock](const HttpRequest& request, const Url&) {
      return handle(intake, request, clock.wall());
    };
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace statmill
