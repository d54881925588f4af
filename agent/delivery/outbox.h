// Outbox: all that the agent sends: a spool, and for each server a delivery with its connection.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/delivery/server_link.h"
#include "agent/spool/spool.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "base/text.h"

namespace statmill {

struct OutboxOptions {
  std::vector<Endpoint> servers;         // --server; each gets everything
  std::string token_file;                // --server.token_file; empty: none
  bool uses_tls = false;                 // --server.tls
  std::string authority_file;            // --server.authority; empty: the system's
  std::string tls_name;                  // --server.name; empty: the host's of --server
  bool allows_plain = false;             // --server.plain: without TLS, beyond the loopback too
  std::string spool_path;                // --spool.path; empty: in memory
  size_t spool_bytes = size_t{1} << 30;  // --spool.bytes, on disk
  size_t queue_bytes = size_t{4} << 20;  // --queue.bytes, in memory
  std::string host;                      // what the servers are to call this one
  uint64_t seed = 0;                     // of the backoffs' jitter
};

// Confined to the thread that runs the io_context. Destroy it only when that runs no more, before it.
class Outbox {
 public:
  // How much of what is acknowledged is kept in memory, where there is no disk.
  static constexpr size_t kKeptInMemory = 1 << 20;

  Outbox(boost::asio::io_context& io, Log& log, const Clock& clock, OutboxOptions options);
  ~Outbox();

  // Opens the spool. Errors: kInvalid (a setting), kBusy (another agent has the spool); those of the disk.
  Status open();
  // Begins to connect. Requires: open.
  void start();
  // Takes lines; they are durable, and on their way, when the handler that runs now has ended.
  void send(LineBatch batch);
  // Calls `done` when all is acknowledged, no server can be reached, or `limit` is over; then ends
  // the connections. Requires: start() called before, and no send() after.
  void finish(Duration limit, std::function<void()> done);

  // All are 0 before open().
  uint64_t lines_spooled() const { return spool_stats().lines_spooled; }
  // Over the bound of the spool, or of what waits for a disk that fails.
  uint64_t lines_dropped() const;
  uint64_t lines_acknowledged() const;  // by each server, added up
  uint64_t reconnects() const;
  uint64_t gaps_told() const;
  uint64_t sync_failures() const { return spool_stats().sync_failures; }
  uint64_t spool_bytes() const { return spool_stats().bytes; }
  // A name is being looked up, in a thread that destroying the outbox waits for.
  bool resolving() const;

 private:
  struct Server;
  Status open_spool();
  Status open_servers();
  void tell_findings() const;
  void sync();
  void tick();
  void finish_if_done();
  SpoolStats spool_stats() const { return spool_ ? spool_->stats() : SpoolStats{}; }

  boost::asio::io_context& io_;
  Log& log_;
  const Clock& clock_;
  const OutboxOptions options_;
  std::unique_ptr<SpoolDirectory> directory_;
  std::unique_ptr<Spool> spool_;
  std::unique_ptr<boost::asio::ssl::context> tls_;
  std::vector<std::unique_ptr<Server>> servers_;
  boost::asio::steady_timer tick_timer_;
  boost::asio::steady_timer finish_timer_;
  LogLimiter sync_log_{std::chrono::seconds(60)};
  bool is_sync_due_ = false;
  std::function<void()> done_;  // set: finishing
};

}  // namespace statmill
