#include "server/admin/name_routes.h"

#include <array>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/time_text.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 5> kDeleteParameters = {
    {{"match", true}, {"from"}, {"until"}, {"all"}, {"dry_run"}}};
constexpr std::array<ParameterRule, 3> kRenameParameters = {{{"from"}, {"to"}, {"dry_run"}}};

HttpResponse ok_json(std::string body) { return {200, std::move(body), kJson, {}}; }

Result<bool> parse_flag(const Url& url, std::string_view name) {
  const std::string_view text = url.find(name).value_or("false");
  if (text == "true" || text == "false") return text == "true";
  return Error{ErrorCode::kInvalid,
               std::string(name) + " must be true or false, not \"" + std::string(text) + "\""};
}

Result<std::optional<int64_t>> parse_time_of(const Url& url, std::string_view name, Timestamp now) {
  const auto text = url.find(name);
  if (!text) return std::optional<int64_t>();
  const Result<int64_t> time_s = parse_time(*text, now);
  if (!time_s) return Error(time_s.error()).with("parameter " + std::string(name));
  return std::optional<int64_t>(*time_s);
}

Result<DeleteRequest> parse_delete(const Url& url, std::string_view body, Timestamp now) {
  DeleteRequest out;
  const auto all = parse_flag(url, "all");
  const auto from = parse_time_of(url, "from", now);
  const auto until = parse_time_of(url, "until", now);
  if (!all) return all.error();
  if (!from) return from.error();
  if (!until) return until.error();
  out.all = *all;
  out.from_s = *from;
  out.until_s = *until;
  for (const Parameter& parameter : url.parameters) {
    if (parameter.name == "match") out.globs.push_back(parameter.value);
  }
  for (std::string_view name : split(body, '\n')) {
    if (name.ends_with('\r')) name.remove_suffix(1);
    if (!name.empty()) out.names.emplace_back(name);
  }
  return out;
}

void append_selected(std::string& out, std::string_view name) { append_json_string(out, name); }

void append_selected(std::string& out, const Renaming& renaming) {
  out += "{\"from\":";
  append_json_string(out, renaming.from);
  out += ",\"to\":";
  append_json_string(out, renaming.to);
  out += "}";
}

// The response to a dry run.
template <class Request>
HttpResponse selection(const NameChanges& changes, const Request& request) {
  const auto selected = changes.select(request);
  if (!selected) return error_response(selected.error());
  const bool is_truncated = selected->size() > kListedNamesMax;
  std::string out = "{\"count\":" + std::to_string(selected->size()) +
                    ",\"truncated\":" + (is_truncated ? "true" : "false") + ",\"series\":[";
  for (size_t i = 0; i < std::min(selected->size(), kListedNamesMax); ++i) {
    if (i > 0) out += ",";
    append_selected(out, (*selected)[i]);
  }
  return ok_json(out + "]}\n");
}

// Returns the globs and the first names, for a person.
std::string text_of(const DeleteRequest& request) {
  constexpr size_t kNamed = 20;
  std::string out;
  for (const std::string& glob : request.globs) out.append(out.empty() ? "" : ", ").append(glob);
  for (size_t i = 0; i < std::min(request.names.size(), kNamed); ++i)
    out.append(out.empty() ? "" : ", ").append(request.names[i]);
  if (request.names.size() > kNamed)
    out += ", and " + std::to_string(request.names.size() - kNamed) + " more";
  return out;
}

HttpResponse handle_delete(const NameChanges& changes, const HttpRequest& http, const Url& url, Timestamp now,
                           const NoteChange& note) {
  const Result<bool> dry_run = parse_flag(url, "dry_run");
  if (!dry_run) return error_response(dry_run.error());
  const Result<DeleteRequest> request = parse_delete(url, http.body, now);
  if (!request) return error_response(request.error());
  if (*dry_run) return selection(changes, *request);
  const auto done = changes.run(*request);
  if (!done) return error_response(done.error());
  if (done->deleted > 0)
    note({std::to_string(done->deleted) + " series deleted", text_of(*request), requester(http)});
  if (done->erased > 0)
    note({"a range of " + std::to_string(done->erased) + " series erased", text_of(*request),
          requester(http)});
  return ok_json("{\"deleted\":" + std::to_string(done->deleted) +
                 ",\"erased\":" + std::to_string(done->erased) + "}\n");
}

HttpResponse handle_rename(const NameChanges& changes, const HttpRequest& http, const Url& url,
                           const NoteChange& note) {
  const Result<bool> dry_run = parse_flag(url, "dry_run");
  if (!dry_run) return error_response(dry_run.error());
  const auto from = url.find("from");
  const auto to = url.find("to");
  if (!from || !to) return error_response(400, "from or to is missing");
  const RenameRequest request{std::string(*from), std::string(*to)};
  if (*dry_run) return selection(changes, request);
  const Result<size_t> renamed = changes.run(request);
  if (!renamed) return error_response(renamed.error());
  if (*renamed > 0)
    note({std::to_string(*renamed) + " series renamed", request.from + " to " + request.to, requester(http)});
  return ok_json("{\"renamed\":" + std::to_string(*renamed) + "}\n");
}

}  // namespace

std::vector<Route> name_routes(const NameChanges& changes, const Clock& clock, const NoteChange& note) {
  Route remove{"POST",
               "/admin/v1/delete",
               kDeleteParameters,
               kNamesBodyBytesMax,
               {},
               "delete series, or erase a range of time from them"};
  remove.respond = [&changes, &clock, note](const HttpRequest& request, const Url& url) {
    return handle_delete(changes, request, url, clock.wall(), note);
  };
  Route rename{"POST", "/admin/v1/rename", kRenameParameters, 0, {}, "rename series"};
  rename.respond = [&changes, note](const HttpRequest& request, const Url& url) {
    return handle_rename(changes, request, url, note);
  };
  return {std::move(remove), std::move(rename)};
}

}  // namespace statmill
