#include "server/prometheus/push_routes.h"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "base/text.h"
#include "proto/line_text.h"
#include "proto/prometheus/metric_families.h"
#include "server/http/gunzip.h"
#include "server/prometheus/exposition_pieces.h"
#include "server/prometheus/push_group.h"
#include "server/prometheus/remote_answers.h"
#include "server/prometheus/remote_write_intake.h"

namespace statmill {
namespace {

constexpr std::array<std::string_view, 1> kCodings = {"gzip"};

struct PushServices {
  RemoteTable& table;
  FamilyTypes& types;
  Intake& intake;
  const Clock& clock;
  const ListenerAccount account;
};

// A body is added as a whole or not at all, as by a Pushgateway.
Status check(std::string_view text, ExpositionFormat format) {
  ExpositionReader reader(text, format);
  for (;;) {
    const ExpositionReader::Item item = reader.next();
    if (item == ExpositionReader::Item::kEnd) break;
    const std::string line = "line " + std::to_string(reader.line_number()) + ": ";
    if (item == ExpositionReader::Item::kFault)
      return Error{ErrorCode::kInvalid, line + std::string(refusal_label(reader.fault()))};
    if (item == ExpositionReader::Item::kSample && reader.sample().time_ms)
      return Error{ErrorCode::kInvalid, line + "a pushed sample must have no time"};
  }
  if (!is_whole(text, format)) return Error{ErrorCode::kInvalid, "the end of the body is missing"};
  return Status::ok();
}

// What Go's client sends: application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily;
// encoding=delimited
bool is_metric_families(std::string_view content_type) {
  if (!is_media_type(content_type, "application/vnd.google.protobuf")) return false;
  bool has_name = false;
  bool is_delimited = false;
  for (const std::string_view part : split(content_type, ';')) {
    has_name = has_name || trimmed(part) == "proto=io.prometheus.client.MetricFamily";
    is_delimited = is_delimited || trimmed(part) == "encoding=delimited";
  }
  return has_name && is_delimited;
}

// Returns the body as text; in `store`, unless it is the body itself.
Result<std::string_view> text_of(const HttpRequest& request, bool is_protobuf, std::string& store) {
  auto body = decoded_body(request, kRemoteMessageBytesMax, store);
  if (!body || !is_protobuf) return body;
  auto text = text_of_metric_families(*body, kRemoteMessageBytesMax);
  if (!text) return text.error();
  store = *std::move(text);
  return std::string_view(store);
}

HttpResponse handle_push(const PushServices& services, const HttpRequest& request, const Url& url) {
  auto group = push_group(url.path);
  if (!group) return error_response(400, group.error().message);
  const bool is_protobuf = is_metric_families(request.content_type);
  const auto format =
      is_protobuf ? ExpositionFormat::kMetricFamilies : exposition_format(request.content_type);
  if (!format)
    return error_response(
        415,
        "the body must be Prometheus' text format or OpenMetrics (text/plain, "
        "application/openmetrics-text), or delimited messages io.prometheus.client.MetricFamily "
        "(application/vnd.google.protobuf)");
  std::string store;
  const auto body = text_of(request, is_protobuf, store);
  if (!body) return error_response(decoding_status(body.error()), body.error().message);
  const std::string_view text = *body;
  if (Status checked = check(text, *format); !checked) return error_response(400, checked.error().message);
  if (!services.table.has_room()) return no_room();
  services.account.bytes.add(request.body.size());
  ScrapeTarget source;
  source.labels = *std::move(group);
  const Timestamp now = services.clock.wall();
  ExpositionPieces pieces(services.table, services.types, services.intake, services.account, now,
                          LineSender::http());
  read_scraped(source, text, *format, now, pieces, SameLabel::kDrop);
  add_report(source, "push_time_seconds", Number::decimal(now.time_since_epoch().count(), 3), now, pieces);
  const RemoteAccount& account = pieces.finish();
  HttpResponse response{.status = 200, .body = {}, .content_type = kPlainText};
  if (const std::string refused = refusal_text(account); !refused.empty())
    response = error_response(400, refused);
  hold_until_durable(response, services.table, account.ticket);
  return response;
}

// There is nothing to forget: what was pushed is history, and is not repeated.
HttpResponse handle_delete(const Url& url) {
  const auto group = push_group(url.path);
  if (!group) return error_response(400, group.error().message);
  return {.status = 202, .body = {}, .content_type = kPlainText};
}

}  // namespace

std::vector<Route> push_routes(RemoteTable& table, FamilyTypes& types, Intake& intake, const Clock& clock) {
  const auto services =
      std::make_shared<const PushServices>(PushServices{table, types, intake, clock, intake.account("push")});
  std::vector<Route> routes;
  for (const std::string_view path : {"/metrics/job/**", "/metrics/job@base64/**"}) {
    for (const std::string_view method : {"PUT", "POST"}) {
      Route route{method, path, {}, kRemoteBodyBytesMax, {}, "push as to a Pushgateway", Lane::kMemory};
      route.strictness = Strictness::kLenient;
      route.role = Role::kWrite;
      route.codings = kCodings;
      route.is_traffic = true;
      route.respond = [services](const HttpRequest& request, const Url& url) {
        return handle_push(*services, request, url);
      };
      routes.push_back(std::move(route));
    }
    Route remove{"DELETE",
                 path,
                 {},
                 0,
                 [](const Url& url, std::string_view) { return handle_delete(url); },
                 "accepted without effect, for clients of a Pushgateway"};
    remove.strictness = Strictness::kLenient;
    remove.role = Role::kWrite;
    routes.push_back(std::move(remove));
  }
  return routes;
}

}  // namespace statmill
