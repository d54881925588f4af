#include "server/prometheus/push_routes.h"

#include <array>
#include <memory>
#include <string>
#include <utility>

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

HttpResponse handle_push(const PushServices& services, const HttpRequest& request, const Url& url) {
  auto group = push_group(url.path);
  if (!group) return error_response(400, group.error().message);
  const auto format = exposition_format(request.content_type);
  if (!format)
    return error_response(415,
                          "the body must be Prometheus' text format or OpenMetrics (text/plain, "
                          "application/openmetrics-text)");
  std::string decoded;
  if (request.content_encoding == "gzip") {
    auto text = gunzip(request.body, kRemoteMessageBytesMax);
    if (!text)
      return error_response(text.error().code == ErrorCode::kLimit ? 413 : 400, text.error().message);
    decoded = *std::move(text);
  }
  const std::string_view text = request.content_encoding == "gzip" ? decoded : request.body;
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
