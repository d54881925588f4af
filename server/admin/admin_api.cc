#include "server/admin/admin_api.h"

#include <utility>

#include "server/admin/admin_routes.h"
#include "server/admin/agent_routes.h"
#include "server/admin/name_routes.h"
#include "server/admin/query_routes.h"
#include "server/admin/snapshot_routes.h"
#include "server/agents/agent_info.h"

namespace statmill {
namespace {

// Returns the first names, for a line of the log.
std::string names_of(const SeriesChanges& changes) {
  constexpr size_t kNamed = 10;
  std::string out;
  size_t count = 0;
  const auto add = [&](std::string_view name, std::string_view new_name) {
    if (++count > kNamed) return;
    out.append(out.empty() ? "" : ", ").append(name);
    if (!new_name.empty()) out.append(" to ").append(new_name);
  };
  for (const std::string_view name : changes.deletes) add(name, {});
  for (const NewName& renaming : changes.renames) add(renaming.from, renaming.to);
  if (count > kNamed) out += " and " + std::to_string(count - kNamed) + " more";
  return out;
}

}  // namespace

AdminApi::AdminApi(Services services)
    : services_(std::move(services)),
      outlook_{services_.table, services_.store, services_.on_tick_thread, services_.clock},
      snapshots_({services_.store, services_.clock, services_.log,
                  [this] {
                    return services_.on_tick_thread(
                        [](Ticker& ticker, TickTime now) { return ticker.tick(now); });
                  }}),
      admin_({services_.on_tick_thread, services_.store, snapshots_, services_.health, services_.log}),
      name_changes_(services_.table,
                    [this](const SeriesChanges& changes) { return change_series(changes); }) {}

std::vector<Route> AdminApi::routes() {
  std::vector<Route> routes = admin_routes(admin_);
  const auto note = [this](ChangeNote change) {
    services_.documents.note_change(std::move(change.title), std::move(change.text), std::move(change.by));
  };
  for (Route& route : snapshot_routes(snapshots_)) routes.push_back(std::move(route));
  for (Route& route : name_routes(name_changes_, services_.clock, note)) routes.push_back(std::move(route));
  for (Route& route : agent_routes([this](const auto& request) { return forget_agent(request); }))
    routes.push_back(std::move(route));
  routes.push_back(cancel_query_route(services_.queries));
  routes.push_back(profile_route(services_.profile, services_.clock));
  routes.push_back(retention_route(outlook_, services_.read_retention));
  for (Route& route : routes) {
    if (route.method != "GET") route.lane = Lane::kStore;  // how far a job is, is answered while it runs
    route.role = Role::kAdmin;
  }
  return routes;
}

std::vector<Route> AdminApi::remote_routes() {
  std::vector<Route> out = routes();
  std::erase_if(out, [](const Route& route) {
    return route.path != "/admin/v1/delete" && route.path != "/admin/v1/rename" &&
           !route.path.starts_with("/admin/v1/snapshots");
  });
  return out;
}

// The line of the request, which follows, says who asked for it.
Result<ChangedSeries> AdminApi::change_series(const SeriesChanges& changes) {
  Result<ChangedSeries> changed = admin_.change(changes);
  if (changed) {
    services_.log.info("series changed", {{"deleted", changed->deleted.size()},
                                          {"erased", changed->erased},
                                          {"renamed", changed->renamed.size()},
                                          {"names", names_of(changes)}});
  }
  return changed;
}

Result<AgentRow> AdminApi::forget_agent(const AgentRegistry::ForgetRequest& request) {
  Result<AgentRow> row = services_.agents.forget(request);
  if (!row) return row;
  services_.log.info("agent forgotten", {{"id", short_id(row->id)}, {"host", row->host}});
  // The first tick stores the agent's last batch, if that is not durable yet; the second forgets the agent.
  for (int i = 0; i < 2; ++i) {
    const Status ticked =
        services_.on_tick_thread([](Ticker& ticker, TickTime now) { return ticker.tick(now); });
    if (!ticked) return Error(ticked.error()).with("it will be forgotten with the next tick that succeeds");
  }
  return row;
}

}  // namespace statmill
