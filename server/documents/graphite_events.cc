#include "server/documents/graphite_events.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/text.h"
#include "server/documents/event_routes.h"
#include "server/documents/json_fields.h"
#include "server/graphite/attime.h"
#include "server/json.h"

namespace statmill {
namespace {

namespace json = boost::json;

constexpr std::array<ParameterRule, 4> kGraphiteParameters = {{{"from"}, {"until"}, {"tags"}, {"set"}}};
constexpr std::string_view kBetweenTags = " ,\t\r\n";

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBetweenTags), text.size()));
    if (text.empty()) return words;
    words.emplace_back(text.substr(0, text.find_first_of(kBetweenTags)));
    text.remove_prefix(words.back().size());
  }
}

Result<Timestamp> parse_graphite_time(std::string_view text, Timestamp now) {
  const Result<int64_t> time_s = graphite::parse_attime(text, unix_seconds(now));
  if (!time_s) return time_s.error();
  return from_unix_seconds(*time_s);
}

HttpResponse handle_graphite_add(EventLog& events, const WriteAnswers& writes, const HttpRequest& request,
                                 Timestamp now) {
  // Scripts send any type. A browser always says where a request comes from; then only the type that no
  // form of another page can send will do.
  if (!request.origin.empty() && !is_media_type(request.content_type, kJson))
    return error_response(415, "the body must be of the type " + std::string(kJson));
  Result<Event> event = parse_graphite_event(request.body, now);
  if (!event) return error_response(event.error());
  event->by = request.peer;
  const auto added = events.add(*std::move(event));
  if (!added) return error_response(added.error());
  return writes.when_durable(added->ticket, {200, "{\"id\":" + std::to_string(added->id) + "}\n", kJson, {}});
}

Result<EventQuery> parse_graphite_query(const Url& url, Timestamp now) {
  EventQuery query{.needs_all_tags = true, .limit = kEventsListedMax};
  if (const auto text = url.find("from")) {
    const Result<Timestamp> from = parse_graphite_time(*text, now);
    if (!from) return Error(from.error()).with("parameter from");
    query.from = *from;
  }
  if (const auto text = url.find("until")) {
    const Result<Timestamp> until = parse_graphite_time(*text, now);
    if (!until) return Error(until.error()).with("parameter until");
    query.until = *until + std::chrono::seconds(1);
  }
  if (const auto text = url.find("tags")) query.tags = words_of(*text);
  if (query.tags.size() > kEventTagsMax)
    return Error{ErrorCode::kInvalid, "parameter tags: there are more than " + std::to_string(kEventTagsMax)};
  if (const auto text = url.find("set")) query.needs_all_tags = *text != "union";
  return query;
}

HttpResponse handle_graphite_list(const EventLog& events, const Url& url, Timestamp now) {
  if (url.find("jsonp")) return error_response(400, "parameter jsonp: answers are JSON only");
  const Result<EventQuery> query = parse_graphite_query(url, now);
  if (!query) return error_response(query.error());
  std::string body;
  {
    JsonArray list(body);
    for (const Event& event : events.find(*query).events) {
      JsonObject one(list.element());
      one.count("id", event.id);
      one.key("when") += std::to_string(unix_seconds(event.time));
      one.text("what", event.title);
      {
        JsonArray tags(one.key("tags"));
        for (const std::string& tag : event.tags) append_json_string(tags.element(), tag);
      }
      one.text("data", event.text);
    }
  }
  return {200, body + "\n", kJson, {}};
}

}  // namespace

Result<Event> parse_graphite_event(std::string_view body, Timestamp now) {
  const Result<json::object> object = parse_json_object(body);
  if (!object) return object.error();
  json::object event;
  for (const auto& [key, value] : *object) {
    if (key == "what") {
      event["title"] = value;
    } else if (key == "data") {
      event["text"] = value.is_string() ? value : json::value(json::serialize(value));
    } else if (key == "when") {
      event["time"] = value;
    } else if (key == "tags" && value.is_string()) {
      json::array& tags = (event["tags"] = json::array()).get_array();
      for (const std::string& word : words_of(view_of(value.get_string()))) tags.emplace_back(word);
    } else if (key == "tags" && !value.is_null()) {
      event["tags"] = value;
    }
  }
  if (!event.contains("title")) return Error{ErrorCode::kInvalid, "\"what\": is missing"};
  return parse_event(json::serialize(event), now);
}

std::function<std::vector<int64_t>(const graphite::EventRequest& request)> graphite_event_times(
    const EventLog& events) {
  return [&events](const graphite::EventRequest& asked) {
    return events.times(asked.tags, from_unix_seconds(asked.from_s), from_unix_seconds(asked.until_s));
  };
}

std::vector<Route> graphite_event_routes(EventLog& events, const WriteAnswers& writes, const Clock& clock) {
  std::vector<Route> routes;
  for (const std::string_view path : {"/events/", "/events", "/graphite/events/", "/graphite/events"}) {
    Route add{"POST", path, {}, kEventBodyBytesMax, {}, {}, Lane::kStore};
    if (routes.empty()) add.description = "add an event, as Graphite's clients do";
    add.role = Role::kWrite;
    add.respond = [&events, &writes, &clock](const HttpRequest& request, const Url&) {
      return handle_graphite_add(events, writes, request, clock.wall());
    };
    routes.push_back(std::move(add));
  }
  for (const std::string_view path : {"/events/get_data", "/graphite/events/get_data"}) {
    Route list{"GET", path, kGraphiteParameters, 0, {}, {}, Lane::kMemory};
    if (path == "/events/get_data") list.description = "events, as Graphite lists them";
    list.strictness = Strictness::kLenient;
    list.handle = [&events, &clock](const Url& url, std::string_view) {
      return handle_graphite_list(events, url, clock.wall());
    };
    routes.push_back(std::move(list));
  }
  return routes;
}

}  // namespace statmill
