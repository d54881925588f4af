#include "server/admin/agent_routes.h"

#include <array>
#include <string>
#include <utility>

#include "server/json.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 2> kForgetParameters = {{{"id"}, {"force"}}};

HttpResponse handle_forget(const ForgetAgent& forget, const Url& url) {
  const auto id = url.find("id");
  if (!id) return error_response(400, "id is missing");
  const std::string_view force = url.find("force").value_or("false");
  if (force != "true" && force != "false")
    return error_response(400, "force must be true or false, not \"" + std::string(force) + "\"");
  const Result<AgentRow> row = forget({.id = *id, .even_connected = force == "true"});
  if (!row) return error_response(row.error());
  std::string body;
  {
    JsonObject answer(body);
    answer.text("id", row->id.text());
    answer.text("host", row->host);
    answer.count("lines", row->position.lines);
  }
  return {200, body + "\n", kJson, {}};
}

}  // namespace

std::vector<Route> agent_routes(ForgetAgent forget) {
  return {
      {"POST", "/admin/v1/forget-agent", kForgetParameters, 0,
       [forget = std::move(forget)](const Url& url, std::string_view) { return handle_forget(forget, url); },
       "forget an agent"}};
}

}  // namespace statmill
