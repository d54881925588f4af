#include "server/http/influx_routes.h"

#include <array>
#include <optional>
#include <utility>

#include "base/hidden_characters.h"
#include "proto/name_escapes.h"
#include "server/http/gunzip.h"
#include "server/http/influx_answers.h"
#include "server/json.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 7> kWriteParameters = {
    {{"db"}, {"rp"}, {"precision"}, {"consistency"}, {"u"}, {"p"}, {"org"}}};
constexpr std::array<ParameterRule, 5> kWrite2Parameters = {
    {{"org"}, {"orgID"}, {"bucket"}, {"bucketID"}, {"precision"}}};
constexpr std::array<ParameterRule, 2> kQueryParameters = {{{"q"}, {"db"}}};
constexpr std::array<ParameterRule, 1> kPingParameters = {{{"verbose"}}};
constexpr std::array<std::string_view, 2> kCodings = {"gzip", "identity"};
constexpr std::string_view kForm = "application/x-www-form-urlencoded";

HttpResponse refuse1(unsigned status, std::string_view message) {
  return influx_error(InfluxApi::k1, status, message);
}
HttpResponse refuse2(unsigned status, std::string_view message) {
  return influx_error(InfluxApi::k2, status, message);
}

HttpResponse decoding_error(InfluxApi api, const Error& error) {
  return influx_error(api, decoding_status(error), error.message);
}

HttpResponse handle_write(const InfluxServices& services, InfluxApi api, const HttpRequest& request,
                          const Url& url) {
  InfluxBlock block{.text = request.body, .sender = LineSender::http(), .now = services.clock.wall()};
  if (const auto precision = url.find("precision"); precision && !precision->empty()) {
    const auto unit = parse_influx_unit(*precision);
    if (!unit) {
      return influx_error(
          api, 400, "invalid precision \"" + std::string(*precision) + "\" (use ns, us, ms, s, m or h)");
    }
    block.options.unit = *unit;
  }
  const std::string_view database = url.find(api == InfluxApi::k1 ? "db" : "bucket").value_or("");
  if (!services.tag_key.empty() && has_hidden_character(database))
    return influx_error(api, 400, "the name of the database has a hidden character");
  const std::string tag_value = escaped_value(database);
  block.options.tag_key = services.tag_key;
  block.options.tag_value = tag_value;
  std::string store;
  const auto text = decoded_body(request, kInfluxBodyBytesMax, store);
  if (!text) return decoding_error(api, text.error());
  block.text = *text;
  return influx_write_answer(api, services.intake.submit(block));
}

HttpResponse handle_ping(const Url& url) {
  HttpResponse response{.status = 204, .body = {}, .fields = influx_fields()};
  if (url.find("verbose").value_or("false") != "true") return response;
  response.status = 200;
  {
    JsonObject object(response.body);
    object.text("version", kInfluxVersion);
  }
  response.body += '\n';
  return response;
}

// It says only that something is wrong, not what: it needs no token.
HttpResponse handle_health(const Health& health) {
  const bool is_ready = health.problems().empty();
  HttpResponse response{.status = is_ready ? 200U : 503U, .body = {}, .fields = influx_fields()};
  {
    JsonObject object(response.body);
    object.text("name", "statmill");
    object.text("message", is_ready ? "ready for writes" : "not ready; see /readyz");
    object.text("status", is_ready ? "pass" : "fail");
    object.key("checks").append("[]");
    object.text("version", kInfluxVersion);
  }
  response.body += '\n';
  return response;
}

// The statement is a parameter of the target or of a form.
HttpResponse handle_query(const HttpRequest& request, const Url& url) {
  std::string statement(url.find("q").value_or(""));
  if (request.method == "POST" && is_media_type(request.content_type, kForm)) {
    std::string store;
    const auto text = decoded_body(request, kInfluxQueryBytesMax, store);
    if (!text) return decoding_error(InfluxApi::k1, text.error());
    auto form = parse_form(*text);
    if (!form) return influx_error(InfluxApi::k1, 400, form.error().message);
    for (Parameter& parameter : *form) {
      if (parameter.name == "q") statement = std::move(parameter.value);
    }
  }
  return influx_statement_answer(statement);
}

Route write_route(const InfluxServices& services, InfluxApi api) {
  const bool is_first = api == InfluxApi::k1;
  Route route{"POST",
              is_first ? "/write" : "/api/v2/write",
              is_first ? std::span<const ParameterRule>(kWriteParameters) : kWrite2Parameters,
              kInfluxBodyBytesMax,
              {},
              is_first ? "send points as to InfluxDB 1" : "send points as to InfluxDB 2",
              Lane::kMemory};
  route.respond = [services, api](const HttpRequest& request, const Url& url) {
    return handle_write(services, api, request, url);
  };
  route.refuse = is_first ? refuse1 : refuse2;
  route.role = Role::kWrite;
  route.is_traffic = true;
  return route;
}

Route query_route(std::string_view method, size_t body_bytes_max) {
  Route route{method, "/query", kQueryParameters, body_bytes_max, {}, "SHOW DATABASES and CREATE DATABASE"};
  route.respond = handle_query;
  route.refuse = refuse1;
  return route;
}

}  // namespace

std::vector<Route> influx_routes(const InfluxServices& services) {
  Route ping{"GET", "/ping", kPingParameters, 0, {}, "204, as InfluxDB answers"};
  ping.handle = [](const Url& url, std::string_view) { return handle_ping(url); };
  Route health{"GET", "/health", {}, 0, {}, "whether the server can do its job, as InfluxDB says it"};
  health.handle = [&health = services.health](const Url&, std::string_view) { return handle_health(health); };
  ping.role = health.role = Role::kNone;
  std::vector<Route> routes = {write_route(services, InfluxApi::k1),
                               write_route(services, InfluxApi::k2),
                               query_route("GET", 0),
                               query_route("POST", kInfluxQueryBytesMax),
                               std::move(ping),
                               std::move(health)};
  for (Route& route : routes) {
    route.strictness = Strictness::kLenient;
    route.codings = kCodings;
  }
  return routes;
}

}  // namespace statmill
