#include "agent/gateway/gateway_port.h"

#include <algorithm>
#include <random>
#include <utility>

#include "agent/delivery/outbox.h"
#include "base/net/tls_context.h"
#include "base/token_file.h"

namespace statmill {
namespace {

// Below --spool.path.
constexpr std::string_view kDirectory = "/agents";

// While the disk fails, an agent has three batches of the largest size in memory.
constexpr size_t kUnsyncedBytesMax = size_t{1} << 20;

AgentOptions port_options(AgentOptions options) {
  options.threads = 1;  // the gateway's own
  // An agent may wait for hours: for a server, or for the disk.
  options.room_poll = std::chrono::seconds(1);
  return options;
}

Status check_spool(const OutboxOptions& outbox) {
  if (!outbox.spool_path.empty()) return Status::ok();
  return Error{
      ErrorCode::kInvalid,
      "agent.listen needs spool.path: batches of other agents are acknowledged once they are on disk"};
}

}  // namespace

Status check_gateway_options(const GatewayOptions& options, const OutboxOptions& outbox) {
  if (!options.is_on()) return Status::ok();
  if (Status spool = check_spool(outbox); !spool) return spool;
  if (Status token = TokenFile("agent.token_file", options.port.token_file).load(); !token) return token;
  return ServerTls("agent", options.port.tls).load();
}

GatewayPort::GatewayPort(const GatewayOptions& options, const OutboxOptions& outbox, const Services& services)
    : options_(options), outbox_(outbox), services_(services) {}

Status GatewayPort::open() {
  if (Status spool = check_spool(outbox_); !spool) return spool;
  listener_.emplace(
      port_options(options_.port),
      AgentListener::Services{[this](boost::asio::io_context& loop) { return make_gateway(loop); },
                              services_.registry, services_.clock, services_.log, &services_.watchdog});
  return listener_->open();
}

Result<std::unique_ptr<AgentHost>> GatewayPort::make_gateway(boost::asio::io_context& loop) {
  const auto token = read_token_file("server.token_file", outbox_.token_file);
  if (!token) return token.error();
  auto tls = outbox_tls(outbox_);
  if (!tls) return tls.error();
  Upstream upstream{.servers = outbox_.servers,
                    .token = *token,
                    .tls = *std::move(tls),
                    .tls_name = outbox_.tls_name,
                    .seed = std::random_device()(),
                    .spool = {.bytes_max = options_.spool_bytes,
                              .unsynced_bytes_max = kUnsyncedBytesMax,
                              .keep_for = outbox_.spool_keep,
                              .keep_bytes = std::min(outbox_.spool_keep_bytes, options_.spool_bytes / 2),
                              .servers = outbox_.servers.size(),
                              .keeps_unacknowledged = true}};
  const Gateway::Services services{loop, services_.log, services_.clock,
                                   [this](const GatewayFigures& figures) {
                                     MutexLock lock(mutex_);
                                     figures_ = figures;
                                   }};
  auto gateway =
      Gateway::open(services, options_, std::move(upstream), outbox_.spool_path + std::string(kDirectory));
  if (!gateway) return std::move(gateway).error();
  return std::unique_ptr<AgentHost>(std::move(*gateway));
}

void GatewayPort::stop() {
  if (listener_) listener_->stop();
}

GatewayFigures GatewayPort::figures() const {
  MutexLock lock(mutex_);
  return figures_;
}

}  // namespace statmill
