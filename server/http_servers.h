// HttpServers: the two HTTP servers, the API over TCP and the admin socket, with their threads.
#pragma once

#include <boost/asio/io_context.hpp>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "base/net/event_thread.h"
#include "base/net/repeating_timer.h"
#include "base/net/watchdog.h"
#include "base/text.h"
#include "server/config.h"
#include "server/health.h"
#include "server/http/http_server.h"
#include "server/http/http_workers.h"
#include "statmill/registry.h"
#include "storage/store.h"

namespace statmill {

// Confined to the main thread.
class HttpServers {
 public:
  struct Services {  // all must outlive it
    Registry& registry;
    Health& health;
    const Clock& clock;
    Log& log;
    Watchdog& watchdog;
    // The loop that the main thread runs once all is open. It retries the admin socket.
    boost::asio::io_context& main_loop;
    QueryService& queries;
  };
  // `config` must outlive it.
  HttpServers(const ServerConfig& config, const Services& services);

  // Opens both servers; requests are answered after start(). If the admin socket cannot be created because
  // the disk cannot be written (`is_store_read_only`), its creation is retried every second: on an admin
  // thread, since the disk may hang.
  // `live` must outlive this.
  std::optional<Fault> open(std::vector<Route> api, std::vector<Route> admin, LiveSource& live, Access access,
                            bool is_store_read_only);
  void start();
  // Reads certificate and tokens again, and uses the allowed and denied networks of `config`, from now on.
  // After an error, what was read before stays.
  Status reload(const ServerConfig& config);
  // Afterwards no request is being answered. Requires: admin jobs under way have been canceled.
  void stop();

  // Requires: open() has succeeded.
  const Endpoint& api_endpoint() const { return api_->local_endpoint(); }
  std::span<const Route> api_routes() const { return api_->routes(); }
  // Returns the path of the admin socket; empty if it is not open.
  std::string admin_path() const { return admin_ ? admin_->socket_path() : std::string(); }

 private:
  using Opened = Result<std::unique_ptr<HttpServer>>;
  Opened open_admin();
  Status check_plain() const;
  Status adopt_admin(Opened opened);
  void retry_admin();

  static constexpr Duration kAdminRetry = std::chrono::seconds(1);
  static constexpr size_t kWriteThreads = 2;  // for events, dashboards and views, which wait for a tick
  static constexpr size_t kAdminThreads = 2;  // while one runs a long job, the other refuses further jobs

  const ServerConfig& config_;
  const Services services_;
  std::vector<Route> admin_routes_;
  ServerTls tls_;
  NetworkFilter filter_;
  CurrentAccess access_;
  EventThread thread_;  // runs both servers
  HttpWorkers api_workers_;
  std::unique_ptr<HttpServer> api_;
  HttpWorkers admin_workers_;
  std::unique_ptr<HttpServer> admin_;
  std::future<Opened> admin_opening_;
  RepeatingTimer admin_retry_;
};

}  // namespace statmill
