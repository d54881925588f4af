// Outbox: all that the agent sends: a spool, and for each server a delivery with its connection.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/delivery/outbox_options.h"
#include "agent/delivery/server_link.h"
#include "agent/spool/spool.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/net/repeating_timer.h"
#include "base/result.h"
#include "base/text.h"

namespace statmill {

// All are 0 before open().
struct OutboxFigures {
  uint64_t lines_spooled = 0;
  // That a server will not get: over the bound of the spool, or of what waits for a disk that fails; or given
  // up with the identity that they were numbered under.
  uint64_t lines_dropped = 0;
  uint64_t lines_acknowledged = 0;  // by each server, added up
  uint64_t lines_refused = 0;       // of these, likewise: the server did not take them
  // How far the clock was ahead of a server's when it last said its time: of all servers the one that differs
  // most. None: no server has said it yet.
  std::optional<Duration> clock_ahead;
  uint64_t reconnects = 0;
  uint64_t gaps_told = 0;
  uint64_t sync_failures = 0;
  uint64_t batches_damaged = 0;  // found in the spool, unreadable
  uint64_t spool_bytes = 0;
  // A name is being looked up, in a thread that destroying the outbox waits for.
  bool is_resolving = false;
};

// Confined to the thread that runs the io_context. Destroy it only when that runs no more, before it.
class Outbox {
 public:
  // How much of what is acknowledged is kept in memory, where there is no disk.
  static constexpr size_t kKeptInMemory = 1 << 20;

  // `changed`: called when figures() may be others.
  Outbox(boost::asio::io_context& io, Log& log, const Clock& clock, OutboxOptions options,
         std::function<void()> changed);
  ~Outbox();

  // Opens the spool. Errors: kInvalid (a setting), kBusy (another agent has the spool); those of the disk.
  Status open();
  // Begins to connect. Requires: open.
  void start();
  // Takes lines; they are durable, and on their way, when the handler that runs now has ended.
  void send(LineBatch batch);
  // Lines that came before those of the next send(), and that nobody has any more: servers are told of a gap.
  void lose(uint64_t lines);
  // Calls `done` when all is acknowledged, no server can be reached, or `limit` is over; then ends
  // the connections. Requires: start() called before, and no send() after.
  void finish(Duration limit, std::function<void()> done);

  OutboxFigures figures() const;

 private:
  struct Server;
  Status open_spool();
  Status open_servers();
  void tell_findings() const;
  void tell_identity();
  void sync();
  void tick();
  void finish_if_done();
  SpoolStats spool_stats() const { return spool_ ? spool_->stats() : SpoolStats{}; }

  boost::asio::io_context& io_;
  Log& log_;
  const Clock& clock_;
  const OutboxOptions options_;
  const std::function<void()> changed_;
  std::unique_ptr<SpoolDirectory> directory_;
  std::unique_ptr<Spool> spool_;
  std::unique_ptr<boost::asio::ssl::context> tls_;
  std::vector<std::unique_ptr<Server>> servers_;
  RepeatingTimer tick_timer_;
  boost::asio::steady_timer finish_timer_;
  LogLimiter sync_log_{std::chrono::seconds(60)};
  bool is_sync_due_ = false;
  AgentId told_id_{};           // of the spool, as logged
  std::function<void()> done_;  // set: finishing
};

}  // namespace statmill
