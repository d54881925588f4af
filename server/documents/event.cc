#include "server/documents/event.h"

#include <cmath>
#include <utility>

#include "base/bytes.h"
#include "base/glob.h"
#include "base/text.h"
#include "base/time_text.h"
#include "server/documents/json_fields.h"
#include "server/json.h"

namespace statmill {
namespace {

namespace json = boost::json;

constexpr double kTimeMax_s = 253402300799;  // the last second of the year 9999

Error invalid(std::string_view key, std::string_view what) {
  return {ErrorCode::kInvalid, "\"" + std::string(key) + "\": " + std::string(what)};
}

Result<std::string> parse_text(std::string_view key, const json::value& value, size_t bytes_max) {
  const auto* text = value.if_string();
  if (text == nullptr) return invalid(key, "must be a text");
  if (text->size() > bytes_max) return invalid(key, "has more than " + std::to_string(bytes_max) + " bytes");
  return std::string(view_of(*text));
}

// Seconds since 1970, or a text as `from` of a query has it.
Result<Timestamp> parse_event_time(std::string_view key, const json::value& value, Timestamp now) {
  std::optional<double> seconds = number_of(value);
  if (const auto* text = value.if_string()) {
    const Result<int64_t> time_s = parse_time(view_of(*text), now);
    if (!time_s) return invalid(key, time_s.error().message);
    seconds = static_cast<double>(*time_s);
  }
  if (!seconds) return invalid(key, "must be a time");
  if (!(*seconds >= 0 && *seconds <= kTimeMax_s)) return invalid(key, "is not between 1970 and 9999");
  return Timestamp(Duration(std::llround(*seconds * 1000)));
}

Status parse_tags(const json::value& value, Event& event) {
  const auto* tags = value.if_array();
  if (tags == nullptr) return invalid("tags", "must be an array of texts");
  if (tags->size() > kEventTagsMax)
    return invalid("tags", "there are more than " + std::to_string(kEventTagsMax));
  for (const json::value& tag : *tags) {
    Result<std::string> text = parse_text("tags", tag, kEventTagBytesMax);
    if (!text) return text.error();
    if (text->empty()) return invalid("tags", "a tag is empty");
    event.tags.push_back(*std::move(text));
  }
  return Status::ok();
}

Status parse_key(std::string_view key, const json::value& value, Timestamp now, Event& event) {
  const auto set = [](auto& field, auto parsed) -> Status {
    if (!parsed) return parsed.error();
    field = *std::move(parsed);
    return Status::ok();
  };
  if (key == "time") return set(event.time, parse_event_time(key, value, now));
  if (key == "until")
    return value.is_null() ? Status::ok() : set(event.until, parse_event_time(key, value, now));
  if (key == "title") return set(event.title, parse_text(key, value, kEventTitleBytesMax));
  if (key == "text") return set(event.text, parse_text(key, value, kEventTextBytesMax));
  if (key == "where") return set(event.where, parse_text(key, value, kEventWhereBytesMax));
  if (key == "tags") return parse_tags(value, event);
  return invalid(key, "there is no such key");
}

double seconds_of(Timestamp time) { return static_cast<double>(time.time_since_epoch().count()) / 1000; }

void append_texts(JsonObject& object, const Event& event) {
  object.text("title", event.title);
  object.text("text", event.text);
  {
    JsonArray tags(object.key("tags"));
    for (const std::string& tag : event.tags) append_json_string(tags.element(), tag);
  }
  object.text("where", event.where);
  object.text("by", event.by);
}

Error corrupt_event(std::string_view what) { return {ErrorCode::kCorrupt, "event: " + std::string(what)}; }

// Reads one member of a row's body. Returns false if it is not as event_row() writes it.
bool read_member(std::string_view key, const json::value& value, Event& event) {
  if (key == "own") {
    event.is_own = value.is_bool() && value.get_bool();
    return value.is_bool();
  }
  if (key == "until") {
    if (const auto* ms = value.if_int64()) event.until = Timestamp(Duration(*ms));
    return value.is_int64();
  }
  if (key == "tags") {
    if (!value.is_array()) return false;
    for (const json::value& tag : value.get_array()) {
      if (!tag.is_string()) return false;
      event.tags.emplace_back(view_of(tag.get_string()));
    }
    return true;
  }
  if (!value.is_string()) return false;
  const std::string text(view_of(value.get_string()));
  if (key == "title") return !(event.title = text).empty();
  if (key == "text") return event.text = text, true;
  if (key == "where") return event.where = text, true;
  if (key == "by") return event.by = text, true;
  return false;
}

}  // namespace

std::string shortened_text(std::string text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  return text;
}

Result<Event> parse_event(std::string_view body, Timestamp now) {
  const Result<json::object> object = parse_json_object(body);
  if (!object) return object.error();
  Event event{.time = now};
  for (const auto& [key, value] : *object) {
    if (Status parsed = parse_key(view_of(key), value, now, event); !parsed) return parsed.error();
  }
  if (event.title.empty()) return invalid("title", "is missing or empty");
  if (event.until && *event.until < event.time) return invalid("until", "is before the time");
  if (!event.where.empty()) {
    const Result<Glob> glob = Glob::parse(event.where);
    if (!glob) return invalid("where", glob.error().message);
    if (glob->alternatives().size() > kEventWhereAlternativesMax)
      return invalid("where",
                     "has more than " + std::to_string(kEventWhereAlternativesMax) + " alternatives");
  }
  return event;
}

void append_event_json(std::string& out, const Event& event) {
  JsonObject object(out);
  object.count("id", event.id);
  object.number("time", seconds_of(event.time));
  if (event.until) {
    object.number("until", seconds_of(*event.until));
  } else {
    object.key("until") += "null";
  }
  append_texts(object, event);
  object.text("source", event.is_own ? "server" : "user");
}

DocumentKey event_key(uint64_t id) {
  DocumentKey key{DocumentKind::kEvent, {}};
  Writer(key.id).u64be(id);
  return key;
}

DocumentRow event_row(const Event& event) {
  DocumentRow row{event_key(event.id), event.time, {}};
  {
    JsonObject object(row.body);
    if (event.until) object.key("until") += std::to_string(event.until->time_since_epoch().count());
    append_texts(object, event);
    object.key("own") += event.is_own ? "true" : "false";
  }
  return row;
}

Result<Event> event_of(const DocumentRow& row) {
  Reader id(row.key.id);
  Event event{.id = id.u64be(), .time = row.time};
  if (id.failed() || !id.done() || event.id == 0) return corrupt_event("id");
  const Result<json::object> object = parse_json_object(row.body);
  if (!object) return corrupt_event(object.error().message);
  for (const auto& [key, value] : *object) {
    if (!read_member(view_of(key), value, event)) return corrupt_event("an impossible member");
  }
  if (event.title.empty()) return corrupt_event("no title");
  return event;
}

}  // namespace statmill
