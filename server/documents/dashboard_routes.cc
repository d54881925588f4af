#include "server/documents/dashboard_routes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "server/documents/builtin_dashboards.h"
#include "server/http/etag.h"
#include "server/json.h"

namespace statmill {
namespace {

constexpr std::string_view kPath = "/api/v1/dashboards";
constexpr std::string_view kBelow = "/api/v1/dashboards/";
constexpr std::array<ParameterRule, 1> kGetParameters = {{{"version"}}};
constexpr std::array<ParameterRule, 1> kSaveParameters = {{{"note"}}};

double seconds_of(Timestamp time) { return static_cast<double>(time.time_since_epoch().count()) / 1000; }

// A dashboard that can be read: a file, one of the program, or a saved one. A file hides others of its id,
// and one of the program hides saved ones.
struct Readable {
  std::string_view source;
  DashboardVersion version;
};

DashboardVersion version_of(const DashboardFiles::File& file) {
  return {.version = 1,
          .changed = file.changed,
          .by = {},
          .note = {},
          .text = file.text,
          .summary = file.summary};
}

const BuiltinDashboard* find_builtin(std::string_view id) {
  const auto all = builtin_dashboards();
  const auto at = std::ranges::find(all, id, &BuiltinDashboard::id);
  return at == all.end() ? nullptr : &*at;
}

DashboardVersion version_of(const BuiltinDashboard& builtin) {
  return {.version = 1,
          .changed = {},
          .by = {},
          .note = {},
          .text = std::make_shared<const std::string>(builtin.text),
          .summary = check_dashboard(builtin.text).summary};
}

// Returns the dashboard if it is read-only.
std::optional<Readable> find_fixed(const DashboardServices& services, std::string_view id) {
  const auto files = services.files.read(services.clock.steady());
  if (const auto file = files->find(id); file != files->end() && file->second.fault.empty())
    return Readable{"file", version_of(file->second)};
  if (const BuiltinDashboard* builtin = find_builtin(id)) return Readable{"built-in", version_of(*builtin)};
  return std::nullopt;
}

void append_entry(JsonArray& list, const std::string& id, std::string_view source,
                  const DashboardVersion& version) {
  JsonObject one(list.element());
  one.text("id", id);
  one.text("title", version.summary.title);
  one.text("folder", version.summary.folder);
  one.text("source", source);
  one.count("version", version.version);
  one.text("etag", version.etag());
  one.number("changed", seconds_of(version.changed));
  if (!version.by.empty()) one.text("by", version.by);
  one.count("panels", version.summary.panels);
}

HttpResponse handle_list(const DashboardServices& services, const HttpRequest& request, const Url&) {
  const auto files = services.files.read(services.clock.steady());
  std::map<std::string, Readable> all;
  for (DashboardSet::Listed& saved : services.saved.list())
    all.insert_or_assign(saved.id, Readable{"saved", std::move(saved.newest)});
  for (const BuiltinDashboard& builtin : builtin_dashboards())
    all.insert_or_assign(std::string(builtin.id), Readable{"built-in", version_of(builtin)});
  for (const auto& [id, file] : *files) {
    if (file.fault.empty()) all.insert_or_assign(id, Readable{"file", version_of(file)});
  }
  std::string body;
  {
    JsonObject object(body);
    object.key("writable") += request.role >= Role::kWrite ? "true" : "false";
    {
      JsonArray list(object.key("dashboards"));
      for (const auto& [id, one] : all) append_entry(list, id, one.source, one.version);
    }
    JsonArray faults(object.key("faults"));
    for (const auto& [id, file] : *files) {
      if (file.fault.empty()) continue;
      JsonObject one(faults.element());
      one.text("file", id + ".json");
      one.text("error", file.fault);
    }
  }
  return {200, body + "\n", kJson, {}};
}

HttpResponse no_dashboard(std::string_view id) {
  return error_response(404, "there is no dashboard " + std::string(id));
}

HttpResponse handle_get(const DashboardServices& services, const HttpRequest& request, const Url& url) {
  const std::string_view id = path_after(url.path, kBelow);
  std::optional<uint32_t> wanted;
  if (const auto text = url.find("version")) {
    const Result<int64_t> number = parse_integer(*text, 1, std::numeric_limits<uint32_t>::max());
    if (!number) return error_response(Error(number.error()).with("parameter version"));
    wanted = static_cast<uint32_t>(*number);
  }
  std::optional<DashboardVersion> found;
  if (auto fixed = find_fixed(services, id)) {
    if (wanted.value_or(1) == 1) found = std::move(fixed->version);
  } else {
    found = services.saved.find(id, wanted);
  }
  if (!found) {
    return wanted ? error_response(404, "there is no version " + std::to_string(*wanted) +
                                            " of the dashboard " + std::string(id))
                  : no_dashboard(id);
  }
  HttpResponse response;
  response.etag = found->etag();
  response.cache_control = "no-cache";
  if (is_in_etags(request.if_none_match, response.etag)) {
    response.status = 304;
    return response;
  }
  response.body = *found->text;
  return response;
}

HttpResponse handle_versions(const DashboardServices& services, const Url& url) {
  std::string_view id = path_after(url.path, kBelow);
  id.remove_suffix(std::string_view("/versions").size());
  std::vector<DashboardVersion> versions;
  if (auto fixed = find_fixed(services, id)) {
    versions.push_back(std::move(fixed->version));
  } else {
    versions = services.saved.versions(id);
  }
  if (versions.empty()) return no_dashboard(id);
  std::string body;
  {
    JsonObject object(body);
    JsonArray list(object.key("versions"));
    for (const DashboardVersion& version : versions) {
      JsonObject one(list.element());
      one.count("version", version.version);
      one.number("changed", seconds_of(version.changed));
      one.text("by", version.by);
      one.count("bytes", version.text->size());
      one.text("note", version.note);
      if (version.is_deleted) one.key("deleted") += "true";
    }
  }
  return {200, body + "\n", kJson, {}};
}

// Makes the response of a request that is refused because of the present state.
HttpResponse refusal(std::string_view id, const DashboardSet::Changed& changed) {
  const std::string dashboard = "the dashboard " + std::string(id);
  switch (changed.outcome) {
    case DashboardSet::Outcome::kNotFound:
      return no_dashboard(id);
    case DashboardSet::Outcome::kNoCondition:
      return error_response(428,
                            "send If-Match with the ETag of the version that you changed, or for a new "
                            "dashboard If-None-Match: *");
    case DashboardSet::Outcome::kLimit:
      return error_response(422, "there is no room for more dashboards and versions (--dashboards.bytes)");
    case DashboardSet::Outcome::kUnavailable:
      return error_response(503, "the store takes no ticks; nothing is saved");
    default:
      break;
  }
  std::string body;
  {
    JsonObject object(body);
    object.text("error", changed.version == 0
                             ? "there is no " + dashboard.substr(4) + " to replace"
                             : dashboard + " has version " + std::to_string(changed.version) + " meanwhile");
    object.count("status", 412);
    object.count("version", changed.version);
  }
  return {412, body + "\n", kJson, {}};
}

HttpResponse faulty(const std::vector<DashboardFault>& faults) {
  std::string body;
  {
    JsonObject object(body);
    object.text("error", "this is not a dashboard: " + faults.front().at + " " + faults.front().error);
    object.count("status", 422);
    JsonArray list(object.key("errors"));
    for (const DashboardFault& fault : faults) {
      JsonObject one(list.element());
      one.text("at", fault.at);
      one.text("error", fault.error);
    }
  }
  return {422, body + "\n", kJson, {}};
}

std::optional<HttpResponse> check_id(const DashboardServices& services, std::string_view id) {
  if (!is_dashboard_id(id)) return error_response(400, "the id of a dashboard is 1 to 64 of a-z, 0-9 and -");
  if (const auto fixed = find_fixed(services, id))
    return error_response(403, "the dashboard " + std::string(id) + " is read-only: it is " +
                                   (fixed->source == "file" ? "a file" : "part of the program"));
  return std::nullopt;
}

Result<DashboardSet::Condition> condition_of(const HttpRequest& request) {
  if (!request.if_none_match.empty() && request.if_none_match != "*")
    return Error{ErrorCode::kInvalid, "If-None-Match of a change must be *"};
  return DashboardSet::Condition{.if_match = request.if_match, .is_new = request.if_none_match == "*"};
}

HttpResponse answer_changed(const DashboardServices& services, std::string_view id,
                            const DashboardSet::Changed& changed, unsigned status) {
  if (changed.outcome != DashboardSet::Outcome::kDone) return refusal(id, changed);
  std::string body;
  {
    JsonObject object(body);
    object.count("version", changed.version);
    object.text("etag", changed.etag);
  }
  HttpResponse response{status, body + "\n", kJson, {}};
  response.etag = changed.etag;
  return services.writes.when_durable(changed.ticket, std::move(response));
}

HttpResponse handle_save(const DashboardServices& services, const HttpRequest& request, const Url& url) {
  const std::string_view id = path_after(url.path, kBelow);
  if (auto refused = check_id(services, id)) return *std::move(refused);
  const auto condition = condition_of(request);
  if (!condition) return error_response(condition.error());
  const std::string_view note = url.find("note").value_or("");
  if (note.size() > kDashboardNoteBytesMax)
    return error_response(400,
                          "parameter note: more than " + std::to_string(kDashboardNoteBytesMax) + " bytes");
  DashboardCheck check = check_dashboard(request.body);
  if (!check.faults.empty()) return faulty(check.faults);
  DashboardVersion version{.changed = services.clock.wall(),
                           .by = std::string(request.peer),
                           .note = std::string(note),
                           .text = std::make_shared<const std::string>(request.body),
                           .summary = std::move(check.summary)};
  const auto changed = services.saved.save(id, std::move(version), *condition);
  return answer_changed(services, id, changed, condition->is_new ? 201 : 200);
}

HttpResponse handle_remove(const DashboardServices& services, const HttpRequest& request, const Url& url) {
  const std::string_view id = path_after(url.path, kBelow);
  if (auto refused = check_id(services, id)) return *std::move(refused);
  DashboardVersion version{
      .changed = services.clock.wall(), .by = std::string(request.peer), .note = {}, .text = {}};
  const auto changed = services.saved.remove(id, std::move(version), {.if_match = request.if_match});
  return answer_changed(services, id, changed, 200);
}

}  // namespace

std::vector<Route> dashboard_routes(const DashboardServices& services) {
  using Respond = HttpResponse (*)(const DashboardServices&, const HttpRequest&, const Url&);
  const auto with = [services](Respond respond) {
    return [services, respond](const HttpRequest& request, const Url& url) {
      return respond(services, request, url);
    };
  };
  // Dashboards may be files, and changes wait for the store.
  Route list{"GET", kPath, {}, 0, {}, "dashboards", Lane::kStore};
  list.respond = with(handle_list);
  Route get{"GET", "/api/v1/dashboards/*", kGetParameters, 0, {}, "a dashboard", Lane::kStore};
  get.respond = with(handle_get);
  Route versions{"GET", "/api/v1/dashboards/*/versions",    {},          0,
                 {},    "the last versions of a dashboard", Lane::kStore};
  versions.handle = [services](const Url& url, std::string_view) { return handle_versions(services, url); };
  Route save{"PUT", "/api/v1/dashboards/*", kSaveParameters, kDashboardBytesMax,
             {},    "save a dashboard",     Lane::kStore};
  save.role = Role::kWrite;
  save.body_type = kJson;
  save.respond = with(handle_save);
  Route remove{"DELETE", "/api/v1/dashboards/*", {}, 0, {}, "delete a dashboard", Lane::kStore};
  remove.role = Role::kWrite;
  remove.respond = with(handle_remove);
  return {std::move(list), std::move(get), std::move(versions), std::move(save), std::move(remove)};
}

}  // namespace statmill
