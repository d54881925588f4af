#include "server/documents/event_routes.h"

#include <array>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/time_text.h"
#include "server/json.h"

namespace statmill {
namespace {

constexpr std::string_view kPath = "/api/v1/events";
constexpr size_t kWantedMax = 16;  // tags, and texts for `where`, of one request
constexpr size_t kWhereTextBytesMax = 4096;
constexpr std::array<ParameterRule, 5> kParameters = {
    {{"from"}, {"until"}, {"tags", true}, {"where", true}, {"limit"}}};

HttpResponse handle_add(EventLog& events, const WriteAnswers& writes, const HttpRequest& request,
                        Timestamp now) {
  Result<Event> event = parse_event(request.body, now);
  if (!event) return error_response(event.error());
  event->by = request.peer;
  const auto added = events.add(*std::move(event));
  if (!added) return error_response(added.error());
  return writes.when_durable(added->ticket, {201, "{\"id\":" + std::to_string(added->id) + "}\n", kJson, {}});
}

HttpResponse handle_remove(EventLog& events, const WriteAnswers& writes, const Url& url) {
  const std::string_view text = path_after(url.path, "/api/v1/events/");
  const Result<int64_t> id = parse_integer(text, 1, std::numeric_limits<int64_t>::max());
  if (!id) return error_response(404, "there is no event " + std::string(text));
  const auto removed = events.remove(static_cast<uint64_t>(*id));
  if (!removed) return error_response(removed.error());
  return writes.when_durable(*removed, {200, "{\"deleted\":" + std::to_string(*id) + "}\n", kJson, {}});
}

Result<std::optional<Timestamp>> parse_bound(const Url& url, std::string_view name, Timestamp now) {
  const auto text = url.find(name);
  if (!text) return std::optional<Timestamp>();
  const Result<int64_t> time_s = parse_time(*text, now);
  if (!time_s) return Error(time_s.error()).with("parameter " + std::string(name));
  return std::optional<Timestamp>(from_unix_seconds(*time_s));
}

Result<EventQuery> parse_query(const Url& url, Timestamp now) {
  EventQuery query;
  const auto from = parse_bound(url, "from", now);
  if (!from) return from.error();
  const auto until = parse_bound(url, "until", now + std::chrono::seconds(1));
  if (!until) return until.error();
  query.from = *from;
  query.until = *until;
  if (const auto text = url.find("limit")) {
    const Result<int64_t> limit = parse_integer(*text, 1, kEventsListedMax);
    if (!limit) return Error(limit.error()).with("parameter limit");
    query.limit = static_cast<size_t>(*limit);
  }
  for (const Parameter& parameter : url.parameters) {
    if (parameter.name == "where") {
      if (parameter.value.size() > kWhereTextBytesMax)
        return Error{ErrorCode::kInvalid,
                     "parameter where: more than " + std::to_string(kWhereTextBytesMax) + " bytes"};
      query.where.push_back(parameter.value);
    } else if (parameter.name == "tags") {
      for (const std::string_view tag : split(parameter.value, ',')) query.tags.emplace_back(tag);
    }
  }
  if (query.where.size() > kWantedMax || query.tags.size() > kWantedMax)
    return Error{ErrorCode::kInvalid,
                 "more than " + std::to_string(kWantedMax) + " values of the parameter tags or where"};
  return query;
}

HttpResponse handle_list(const EventLog& events, const Url& url, Timestamp now) {
  const Result<EventQuery> query = parse_query(url, now);
  if (!query) return error_response(query.error());
  const EventPage page = events.find(*query);
  std::string body;
  {
    JsonObject object(body);
    {
      JsonArray list(object.key("events"));
      for (const Event& event : page.events) append_event_json(list.element(), event);
    }
    object.key("truncated") += page.is_truncated ? "true" : "false";
  }
  return {200, body + "\n", kJson, {}};
}

}  // namespace

std::vector<Route> event_routes(EventLog& events, const WriteAnswers& writes, const Clock& clock) {
  Route list{"GET", kPath, kParameters, 0, {}, "events, which charts mark", Lane::kMemory};
  list.handle = [&events, &clock](const Url& url, std::string_view) {
    return handle_list(events, url, clock.wall());
  };
  Route add{"POST", kPath, {}, kEventBodyBytesMax, {}, "add an event", Lane::kStore};
  add.role = Role::kWrite;
  add.body_type = kJson;
  add.respond = [&events, &writes, &clock](const HttpRequest& request, const Url&) {
    return handle_add(events, writes, request, clock.wall());
  };
  Route remove{"DELETE", "/api/v1/events/*", {}, 0, {}, "delete an event", Lane::kStore};
  remove.role = Role::kWrite;
  remove.handle = [&events, &writes](const Url& url, std::string_view) {
    return handle_remove(events, writes, url);
  };
  return {std::move(list), std::move(add), std::move(remove)};
}

}  // namespace statmill
