#include <future>
#include <utility>

#include "server/admin/admin_routes.h"
#include "server/admin/agent_routes.h"
#include "server/admin/name_routes.h"
#include "server/agents/agent_info.h"
#include "server/server.h"

namespace statmill {

std::optional<Fault> Server::listen_for_admin() {
  admin_ = std::make_unique<Admin>(Admin::Services{
      [this](const TickThread::Job& job) { return tick_thread_->call(job); }, *store_, health_, log_});
  name_changes_ = std::make_unique<NameChanges>(table_, [this](const SeriesChanges& changes) {
    Result<ChangedSeries> changed = admin_->change(changes);
    if (changed) {
      log_.info("series changed", {{"deleted", changed->deleted.size()},
                                   {"erased", changed->erased},
                                   {"renamed", changed->renamed.size()}});
    }
    return changed;
  });
  const Status opened = adopt_admin_socket(open_admin_socket());
  if (opened) return std::nullopt;
  // On a disk that cannot be written no socket can be created either: the server starts without it.
  const bool is_disk = opened.error().code == ErrorCode::kIo && store_->fault();
  if (is_disk) return std::nullopt;
  const bool is_setting = opened.error().code == ErrorCode::kInvalid;
  return Fault{is_setting ? ExitCode::kUsage : ExitCode::kCannotListen, opened.error()};
}

Result<std::unique_ptr<HttpServer>> Server::open_admin_socket() {
  const std::string path =
      config_.admin_socket.empty() ? config_.store.path + "/admin.sock" : config_.admin_socket;
  std::vector<Route> routes = admin_routes(*admin_);
  for (Route& route : name_routes(*name_changes_, clock_)) routes.push_back(std::move(route));
  for (Route& route : agent_routes([this](const auto& request) { return forget_agent(request); }))
    routes.push_back(std::move(route));
  for (Route& route : routes) route.lane = Lane::kStore;
  return HttpServer::open_unix(http_thread_.loop(), path,
                               {std::move(routes), registry_, clock_, &admin_workers_});
}

Status Server::adopt_admin_socket(Result<std::unique_ptr<HttpServer>> opened) {
  health_.warn("admin.socket", opened ? "" : opened.error().message);
  if (!opened) return opened.error();
  admin_http_ = std::move(*opened);
  return Status::ok();
}

void Server::retry_admin_socket() {
  if (!admin_opening_.valid()) {
    std::packaged_task<Result<std::unique_ptr<HttpServer>>()> open([this] { return open_admin_socket(); });
    admin_opening_ = open.get_future();
    return admin_workers_.post(Lane::kStore, std::move(open));
  }
  if (admin_opening_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  if (!adopt_admin_socket(admin_opening_.get())) return;
  admin_retry_.stop();
  log_.info("admin socket open", {{"path", admin_http_->socket_path()}});
}

Result<AgentRow> Server::forget_agent(const AgentRegistry::ForgetRequest& request) {
  Result<AgentRow> row = agent_registry_.forget(request);
  if (!row) return row;
  log_.info("agent forgotten", {{"id", short_id(row->id)}, {"host", row->host}});
  // The first tick stores the agent's last batch, if that is not durable yet; the second forgets the agent.
  for (int i = 0; i < 2; ++i) {
    const Status ticked = tick_thread_->call([](Ticker& ticker, TickTime now) { return ticker.tick(now); });
    if (!ticked) return Error(ticked.error()).with("it will be forgotten with the next tick that succeeds");
  }
  return row;
}

}  // namespace statmill
