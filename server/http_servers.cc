#include "server/http_servers.h"

#include <utility>

namespace statmill {

HttpServers::HttpServers(const ServerConfig& config, const Services& services)
    : config_(config),
      services_(services),
      tls_("http", config.http_tls),
      filter_(config.http_networks),
      api_workers_({.memory = config.http_threads,
                    .store = kWriteThreads + (config.http_tokens.empty() ? 0 : kAdminThreads)},
                   &services.watchdog, "http"),
      admin_workers_({.memory = 0, .store = kAdminThreads}, &services.watchdog, "admin"),
      admin_retry_(
          services.main_loop, [] { return kAdminRetry; }, [this] { retry_admin(); }) {}

std::optional<Fault> HttpServers::open(std::vector<Route> api, std::vector<Route> admin, LiveSource& live,
                                       Access access, bool is_store_read_only) {
  access_.set(std::move(access));
  if (Status loaded = tls_.load(); !loaded) return Fault{ExitCode::kUsage, loaded.error()};
  Opened opened = HttpServer::open(
      thread_.loop(), config_.http_listen,
      {std::move(api), services_.registry, services_.clock, &api_workers_, &services_.queries, "/api", &live,
       &access_, &config_.http_hosts, &services_.log, &tls_, &filter_},
      config_.http);
  if (!opened) return listen_fault(opened.error());
  api_ = std::move(*opened);
  if (Status checked = check_plain(); !checked) return Fault{ExitCode::kUsage, checked.error()};
  admin_routes_ = std::move(admin);
  const Status adopted = adopt_admin(open_admin());
  if (adopted) return std::nullopt;
  if (adopted.error().code == ErrorCode::kIo && is_store_read_only) {
    admin_retry_.start();
    return std::nullopt;
  }
  return listen_fault(adopted.error());
}

// Looks at the address that a host name has led to.
Status HttpServers::check_plain() const {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(api_->local_endpoint().host, error);
  return error ? Status::ok() : tls_.check_plain(config_.http_listen, address, config_.http_plain);
}

Status HttpServers::reload(const ServerConfig& config) {
  Result<Access> access =
      config_.http_tokens.empty() ? Result<Access>(Access()) : Access::from_file(config_.http_tokens);
  if (!access) return access.error();
  if (Status tls = tls_.load(); !tls) return tls;
  access_.set(*std::move(access));
  filter_.set(config.http_networks);
  return Status::ok();
}

HttpServers::Opened HttpServers::open_admin() {
  const std::string path =
      config_.admin_socket.empty() ? config_.store.path + "/admin.sock" : config_.admin_socket;
  HttpSite site{admin_routes_, services_.registry, services_.clock, &admin_workers_};
  site.log = &services_.log;
  return HttpServer::open_unix(thread_.loop(), path, std::move(site));
}

Status HttpServers::adopt_admin(Opened opened) {
  services_.health.warn("admin.socket", opened ? "" : opened.error().message);
  if (!opened) return opened.error();
  admin_ = std::move(*opened);
  return Status::ok();
}

void HttpServers::retry_admin() {
  if (!admin_opening_.valid()) {
    std::packaged_task<Opened()> open([this] { return open_admin(); });
    admin_opening_ = open.get_future();
    return admin_workers_.post(Lane::kStore, std::move(open));
  }
  if (admin_opening_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  if (!adopt_admin(admin_opening_.get())) return;
  admin_retry_.stop();
  services_.log.info("admin socket open", {{"path", admin_->socket_path()}});
}

void HttpServers::start() { thread_.start(services_.log, "http", &services_.watchdog); }

void HttpServers::stop() {
  if (admin_opening_.valid()) static_cast<void>(adopt_admin(admin_opening_.get()));
  if (api_) api_->stop();
  if (admin_) admin_->stop();
  thread_.release();
  thread_.join();
}

}  // namespace statmill
