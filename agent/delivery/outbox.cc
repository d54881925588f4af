#include "agent/delivery/outbox.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "agent/spool/disk_directory.h"
#include "agent/spool/memory_directory.h"
#include "base/check.h"
#include "base/free_bytes.h"
#include "base/running.h"
#include "base/token_file.h"

namespace statmill {

namespace asio = boost::asio;

struct Outbox::Server {
  Server(Outbox& outbox, DeliveryOptions delivery_options, ServerLinkOptions link_options)
      : delivery(*outbox.spool_, std::move(delivery_options)),
        link(std::make_shared<ServerLink>(
            ServerLink::Services{outbox.io_, outbox.log_, outbox.clock_, outbox.names_}, delivery,
            std::move(link_options), [&outbox] {
              outbox.log_identity();
              outbox.changed_();
              outbox.finish_if_done();
            })) {}

  Delivery delivery;
  std::shared_ptr<ServerLink> link;
};

namespace {

constexpr Duration kTickInterval = std::chrono::seconds(1);

bool is_loopback(const std::string& host) {
  boost::system::error_code not_an_address;
  const asio::ip::address address = asio::ip::make_address(host, not_an_address);
  return not_an_address ? host == "localhost" : address.is_loopback();
}

Status check_plain(const OutboxOptions& options) {
  for (const Endpoint& server : options.servers) {
    if (options.uses_tls || options.allows_plain || is_loopback(server.host)) continue;
    return Error{
        ErrorCode::kInvalid,
        "server " + server.text() + ": a server outside the loopback needs --server.tls or --server.plain"};
  }
  return Status::ok();
}

}  // namespace

Result<std::shared_ptr<TlsContext>> outbox_tls(const OutboxOptions& options) {
  if (!options.uses_tls) return std::shared_ptr<TlsContext>();
  auto tls = client_tls(options.authority_file);
  return tls ? std::move(tls) : std::move(tls.error()).with("server.authority");
}

Status check_outbox_options(const OutboxOptions& options) {
  if (Status plain = check_plain(options); !plain) return plain;
  if (const auto token = read_token_file("server.token_file", options.token_file); !token)
    return token.error();
  const auto tls = outbox_tls(options);
  return tls ? Status::ok() : Status(tls.error());
}

Outbox::Outbox(asio::io_context& io, Log& log, const Clock& clock, OutboxOptions options,
               std::function<void()> changed)
    : io_(io),
      log_(log),
      clock_(clock),
      options_(std::move(options)),
      changed_(std::move(changed)),
      names_(io),
      tick_timer_(
          io, [] { return kTickInterval; }, [this] { tick(); }),
      finish_timer_(io) {}

Outbox::~Outbox() = default;

Status Outbox::open() {
  if (Status plain = check_plain(options_); !plain) return plain;
  if (Status opened = open_spool(); !opened) return opened;
  return open_servers();
}

Status Outbox::open_spool() {
  SpoolOptions options{.bytes_max = options_.spool_bytes, .servers = options_.servers.size()};
  SpoolLocation location;
  if (options_.spool_path.empty()) {
    options.bytes_max = options_.queue_bytes;
    options.keep_bytes = std::min(kKeptInMemory, options_.queue_bytes / 4);
    directory_ = std::make_unique<MemoryDirectory>();
    log_.info("no --spool.path: unacknowledged lines are lost when the agent ends", {});
  } else {
    auto directory = DiskDirectory::open(options_.spool_path);
    if (!directory) return std::move(directory.error()).with("spool.path " + options_.spool_path);
    auto where = (*directory)->location();
    if (!where) return std::move(where.error()).with("spool.path " + options_.spool_path);
    location = std::move(*where);
    options.keep_for = options_.spool_keep;
    options.keep_bytes = std::min(options_.spool_keep_bytes, options_.spool_bytes / 2);
    directory_ = std::move(*directory);
  }
  auto spool = Spool::open(*directory_, options, location, random_bits);
  if (!spool) return std::move(spool.error()).with("spool.path " + options_.spool_path);
  spool_ = std::move(*spool);
  logged_id_ = spool_->id();
  if (!options_.spool_path.empty()) log_recovery();
  return Status::ok();
}

void Outbox::log_recovery() const {
  const RecoveryReport& report = spool_->recovery_report();
  log_.info("spool open", {{"path", options_.spool_path},
                           {"agent", short_id(spool_->id())},
                           {"epoch", spool_->epoch()},
                           {"identity", identity_text(report.identity)},
                           {"batches", spool_->next_seq() - spool_->first_seq()},
                           {"torn_bytes", report.torn_bytes}});
  if (report.lines_lost > 0) {
    log_.warn("the batches of this spool belong to another identity; servers get a gap in their place",
              {{"identity", identity_text(report.identity)}, {"lines", report.lines_lost}});
  }
  if (report.segments_removed > 0 || report.headers_damaged > 0) {
    log_.warn("spool was damaged, or had segments of another agent",
              {{"segments_removed", report.segments_removed}, {"headers_damaged", report.headers_damaged}});
  }
}

// The log line "server away" has the reason.
void Outbox::log_identity() {
  if (spool_->id() == logged_id_) return;
  logged_id_ = spool_->id();
  log_.warn(
      "another agent uses the same identity; this agent has changed its identity, and servers get a gap",
      {{"agent", short_id(logged_id_)}, {"lines", spool_->stats().lines_abandoned}});
  // The connections to the other servers still use the old identity.
  asio::post(io_, [this] {
    for (const auto& server : servers_) server->link->pump();
  });
}

Status Outbox::open_servers() {
  const auto token = read_token_file("server.token_file", options_.token_file);
  if (!token) return token.error();
  auto tls = outbox_tls(options_);
  if (!tls) return tls.error();
  tls_ = *std::move(tls);
  for (size_t i = 0; i < options_.servers.size(); ++i) {
    servers_.push_back(std::make_unique<Server>(*this,
                                                DeliveryOptions{.server = i,
                                                                .host = options_.host,
                                                                .token = *token,
                                                                .is_ephemeral = options_.spool_path.empty(),
                                                                .collectors = options_.collectors,
                                                                .boot = options_.boot},
                                                ServerLinkOptions{.server = options_.servers[i],
                                                                  .tls = tls_,
                                                                  .tls_name = options_.tls_name,
                                                                  .seed = options_.seed + i}));
  }
  return Status::ok();
}

void Outbox::start() {
  SM_CHECK(spool_);
  for (const auto& server : servers_) server->link->start();
  tick();
  tick_timer_.start();
}

void Outbox::send(const LineBatch& batch) {
  SM_CHECK(!done_);
  const Running running("the spool's disk");
  spool_->append(batch, clock_.wall());
  // One sync for all batches that arrive together.
  if (std::exchange(is_sync_due_, true)) return;
  asio::post(io_, [this] { sync(); });
}

void Outbox::add_gap(uint64_t lines) {
  const Running running("the spool's disk");
  spool_->add_gap(lines);
}

void Outbox::sync() {
  const Running running("the spool's disk");
  is_sync_due_ = false;
  if (const Status synced = spool_->sync(); !synced && sync_log_.admit(clock_.steady()) >= 0) {
    log_.error("spool cannot be written; batches wait in memory",
               {{"reason", synced.error().message}, {"bytes", spool_->stats().bytes_unsynced}});
  }
  for (const auto& server : servers_) server->link->pump();
  changed_();
}

// Retries after a failure of the disk, and removes batches that were kept for long enough.
void Outbox::tick() {
  const Running running("the spool's disk");
  if (spool_->stats().bytes_unsynced > 0) sync();
  if (const Status trimmed = spool_->trim(clock_.wall()); !trimmed && sync_log_.admit(clock_.steady()) >= 0)
    log_.error("spool cannot remove old segments", {{"reason", trimmed.error().message}});
  if (!options_.spool_path.empty()) disk_free_bytes_ = free_bytes(options_.spool_path);
  changed_();
}

void Outbox::finish(Duration limit, std::function<void()> done) {
  SM_CHECK(spool_ && !done_);
  sync();
  done_ = std::move(done);
  finish_timer_.expires_after(limit);
  finish_timer_.async_wait([this](const boost::system::error_code& stopped) {
    if (stopped) return;
    for (const auto& server : servers_) server->link->stop();
    finish_if_done();
  });
  asio::post(io_, [this] { finish_if_done(); });
}

void Outbox::finish_if_done() {
  if (!done_) return;
  for (const auto& server : servers_) {
    if (!server->link->is_away() && !server->delivery.is_done()) return;
  }
  finish_timer_.cancel();
  tick_timer_.stop();
  for (const auto& server : servers_) server->link->stop();
  // Saved only for the case that the spool is copied, so an error does not matter.
  static_cast<void>(spool_->save_acknowledged());
  std::exchange(done_, nullptr)();
}

OutboxFigures Outbox::figures() const {
  const SpoolStats spool = spool_stats();
  OutboxFigures figures;
  figures.lines_spooled = spool.lines_spooled;
  figures.lines_dropped = spool.lines_dropped();
  figures.sync_failures = spool.sync_failures;
  figures.batches_damaged = spool.batches_damaged;
  figures.spool_bytes = spool.bytes;
  figures.spool_disk_free_bytes = disk_free_bytes_;
  for (const auto& server : servers_) {
    const DeliveryStats& stats = server->delivery.stats();
    figures.lines_acknowledged += stats.lines_acknowledged;
    figures.lines_refused += stats.lines_refused;
    figures.gaps_reported += stats.gaps_reported;
    figures.backlog_batches = std::max(figures.backlog_batches, server->delivery.backlog_batches());
    figures.reconnects += server->link->reconnects();
    const auto ahead = server->delivery.clock_ahead();
    const auto& most = figures.clock_ahead;
    if (ahead && (!most || std::chrono::abs(*ahead) > std::chrono::abs(*most))) figures.clock_ahead = ahead;
  }
  return figures;
}

}  // namespace statmill
