// Outbox: sends the agent's lines: a spool, and for each server a delivery with its connection.
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
  // Lines that a server will not get: they exceeded the size limit of the spool, or the memory limit while
  // the disk failed; or they were given up with their identity.
  uint64_t lines_dropped = 0;
  uint64_t lines_acknowledged = 0;  // sum over all servers
  uint64_t lines_refused = 0;       // acknowledged, but refused by a server; sum over all servers
  // How far this host's clock was ahead of a server's when that server last reported its time: the largest
  // difference among all servers. nullopt if no server has reported its time yet.
  std::optional<Duration> clock_ahead;
  uint64_t reconnects = 0;
  uint64_t gaps_reported = 0;
  uint64_t sync_failures = 0;
  uint64_t batches_damaged = 0;  // found in the spool, unreadable
  uint64_t backlog_batches = 0;  // the most that a server lacks of its backlog
  uint64_t spool_bytes = 0;
  std::optional<uint64_t> spool_disk_free_bytes;  // nullopt if the spool is in memory, or if it is unknown
};

// Returns the TLS context of the connections to the servers; null if TLS is off. Errors: kInvalid.
Result<std::shared_ptr<TlsContext>> outbox_tls(const OutboxOptions& options);

// Reads the files that the options name, as Outbox::open() does, and no others. Errors: kInvalid.
Status check_outbox_options(const OutboxOptions& options);

// Confined to the thread that runs the io_context. Destroy it after that has stopped running and
// before the io_context.
class Outbox {
 public:
  // Without a disk: how many bytes of acknowledged batches are kept in memory.
  static constexpr size_t kKeptInMemory = 1 << 20;

  // `changed` is called when figures() may have changed.
  Outbox(boost::asio::io_context& io, Log& log, const Clock& clock, OutboxOptions options,
         std::function<void()> changed);
  ~Outbox();

  // Opens the spool. Errors: kInvalid (a setting), kBusy (another agent uses the spool), and those
  // of the disk.
  Status open();
  // Returns what counters had with the newest durable lines (LineBatch::values). Requires: open() succeeded.
  std::vector<LastValue> values() const { return spool_->values(); }
  // Begins to connect. Requires: open() succeeded.
  void start();
  // Appends lines. They become durable and are sent when the current handler ends.
  void send(const LineBatch& batch);
  // Counts `lines` lines that were dropped before those of the next send(). Servers get a gap in their place.
  void add_gap(uint64_t lines);
  // Calls `done` when everything is acknowledged, no server can be reached, or `limit` has passed; then
  // closes the connections. Requires: start() was called, and send() is not called afterwards.
  void finish(Duration limit, std::function<void()> done);

  OutboxFigures figures() const;

 private:
  struct Server;
  Status open_spool();
  Status open_servers();
  void log_recovery() const;
  void log_identity();
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
  std::shared_ptr<TlsContext> tls_;  // null: plain
  NameLookups names_;
  std::vector<std::unique_ptr<Server>> servers_;
  RepeatingTimer tick_timer_;
  boost::asio::steady_timer finish_timer_;
  LogLimiter sync_log_{std::chrono::seconds(60)};
  bool is_sync_due_ = false;
  std::optional<uint64_t> disk_free_bytes_;  // as of the last tick()
  AgentId logged_id_{};                      // the spool's id when it was logged last
  std::function<void()> done_;               // set while finishing
};

}  // namespace statmill
