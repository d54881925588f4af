#include "server/documents/setting_routes.h"

#include "base/glob.h"
#include "server/documents/json_fields.h"
#include "server/json.h"

namespace statmill {
namespace {

namespace json = boost::json;

// Returns nullopt for null, lists and objects.
std::optional<std::string> text_of(const json::value& value) {
  if (value.is_string()) return std::string(view_of(value.get_string()));
  if (const bool* flag = value.if_bool()) return *flag ? "true" : "false";
  if (const auto* number = value.if_int64()) return std::to_string(*number);
  if (const auto* number = value.if_uint64()) return std::to_string(*number);
  if (const auto* number = value.if_double()) {
    std::string text;
    append_number(text, *number);
    return text;
  }
  return std::nullopt;
}

HttpResponse handle_get(const SettingFiles& files, const Url& url) {
  const std::string_view name = url.find("s").value_or("");
  if (Status s = check_setting_name(name); !s) return error_response(s.error());
  const auto settings = files.get(name);
  if (!settings) return error_response(404, "no such settings");
  const auto keys = Glob::parse(url.find("sk").value_or("*"));
  if (!keys) return error_response(Error(keys.error()).with("parameter sk"));
  std::string body;
  bool has_any = false;
  {
    JsonObject object(body);
    for (const auto& [key, text] : *settings) {
      if (!keys->matches(key)) continue;
      object.text(key, text);
      has_any = true;
    }
  }
  if (!has_any) return {404, "null\n", kJson, {}};  // as istatd answers
  return {200, body + "\n", kJson, {}};
}

HttpResponse handle_set(SettingFiles& files, const WriteAnswers& writes, const HttpRequest& request,
                        const Url& url, Timestamp now) {
  const auto changes = parse_settings(request.body);
  if (!changes) return error_response(changes.error());
  const auto ticket = files.set(url.find("s").value_or(""), *changes, now);
  if (!ticket) return error_response(ticket.error());
  return writes.when_durable(*ticket, {200, "{\"success\":true}\n", kJson, {}});
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> parse_settings(std::string_view body) {
  const auto object = parse_json_object(body);
  if (!object) return object.error();
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [key, value] : *object) {
    auto text = text_of(value);
    if (!text) {
      return Error{ErrorCode::kInvalid,
                   "JSON setting values cannot be compound (found " + std::string(view_of(key)) + ")"};
    }
    out.emplace_back(view_of(key), *std::move(text));
  }
  return out;
}

std::vector<Route> setting_routes(SettingFiles& files, const WriteAnswers& writes, const Clock& clock) {
  std::vector<Route> routes;
  for (const std::string_view root : {"/", "/istatd/"}) {
    Route get{"GET", root, {}, 0, {}, {}, Lane::kMemory};
    get.needs = "s";
    get.strictness = Strictness::kLenient;
    get.handle = [&files](const Url& url, std::string_view) { return handle_get(files, url); };
    routes.push_back(std::move(get));
    Route set{"POST", root, {}, kSettingBodyBytesMax, {}, {}, Lane::kStore};
    set.needs = "s";
    set.strictness = Strictness::kLenient;
    set.role = Role::kWrite;
    set.respond = [&files, &writes, &clock](const HttpRequest& request, const Url& url) {
      return handle_set(files, writes, request, url, clock.wall());
    };
    routes.push_back(std::move(set));
  }
  return routes;
}

}  // namespace statmill
