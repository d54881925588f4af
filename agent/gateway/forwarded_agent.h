// ForwardedAgent: the batches of one agent at a gateway: a spool with that agent's identity and numbers, and
// a delivery of it to each server.
//
// What is acknowledged to the agent is in the spool until all servers have it. Since numbers and
// identity are the agent's own, a server sees no difference between this and the agent itself: it drops what
// it has already, wherever that came from.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/delivery/delivery.h"
#include "agent/delivery/server_link.h"
#include "agent/gateway/upstream.h"
#include "agent/spool/disk_directory.h"
#include "agent/spool/spool.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "ingest/agents/agent_host.h"

namespace statmill {

// Confined to the thread of the io_context. Call stop() before it is destroyed, unless the io_context has
// stopped running for good.
class ForwardedAgent {
 public:
  struct Services {  // all must outlive it
    boost::asio::io_context& io;
    Log& log;
    const Clock& clock;
    NameLookups& names;  // runs its callbacks on the io_context
    const Upstream& upstream;
    // A server has sent something to the agent, or its connection has ended. The agent must not be destroyed
    // during the call.
    std::function<void(ForwardedAgent& agent)> progressed;
    LogLimiter& link_log;  // limits the warnings of all links together
  };
  // Opens what an earlier process left in the directory `path` of the agent `id`. Errors: kCorrupt (the
  // identity or the numbering is lost), kVersion, kBusy, and those of the disk; then nothing has changed.
  static Result<std::unique_ptr<ForwardedAgent>> open(const Services& services, const std::string& path,
                                                      const AgentId& id);
  // Makes the directory for the agent of `hello`, which has no batches. Durable on return, but for the entry
  // in the parent directory. Requires: there is no such directory. Errors: those of the disk.
  static Result<std::unique_ptr<ForwardedAgent>> begin(const Services& services, const std::string& path,
                                                       const HelloFrame& hello);

  ~ForwardedAgent();

  const AgentId& id() const { return spool_->id(); }
  const AgentSecret& secret() const { return spool_->secret(); }
  uint32_t epoch() const { return spool_->epoch(); }
  std::string host() const;  // the name of the agent's host
  uint8_t hops() const;      // gateways that its batches had passed, the last time it was here

  // A connection speaks for the agent from now on. Replaces what is known of the agent by the hello. Returns
  // the number of the connection. Errors: those of the disk.
  Result<uint64_t> connect(const HelloFrame& hello, std::shared_ptr<AgentObserver> observer, TickTime now);
  // Does nothing if another connection has replaced this one.
  void disconnect(uint64_t connection);
  bool is_connected() const { return observer_ != nullptr; }
  // True if the hello was sent before that of the current connection.
  bool is_late(const HelloFrame& hello) const;
  // Ends the connection, if there is one, with this reason.
  void refuse(RefuseReason reason);

  // Returns the last batch that is accepted here and durable.
  const AgentPosition& durable() const { return durable_; }
  uint64_t lines_refused() const;  // by the servers, since this object was made
  uint64_t lines_accepted() const { return lines_accepted_; }
  // False if a batch would have to wait in memory, or would remove others that not all servers have.
  bool has_room() const;
  // The connection must be the current one; kReplaced if it is not. Batches become durable with sync().
  FrameResult accept(uint64_t connection, const BatchFrame& batch);
  FrameResult accept(uint64_t connection, const GapFrame& gap);
  void note_status(const StatusFrame& status, std::optional<Duration> clock_ahead);

  // Makes what was accepted durable, acknowledges it to the agent, and sends it on. After an error all of it
  // is still in memory; call it again.
  Status sync();
  bool is_synced() const { return spool_->stats().bytes_unsynced == 0; }
  // Connects to the servers if there is a reason: the agent is here, or a server lacks batches. Otherwise
  // ends the connections. Call it about once a second.
  Status maintain(Timestamp now);
  // True if all servers have all batches; after a start, as far as is known.
  bool is_done() const;
  // Why a server will never accept the batches; empty if it may.
  std::string conflict() const;
  // True if a server knows a later epoch of the agent.
  bool is_fenced() const;
  // The lines that not all servers have.
  uint64_t lines_lacked() const;
  SpoolStats spool_stats() const { return spool_->stats(); }
  uint64_t spool_lines() const { return spool_->lines_stored(); }
  SteadyTime seen() const { return seen_; }  // when the agent was here

  // Ends its connection, and those to the servers.
  void stop();

 private:
  struct Server;
  ForwardedAgent(const Services& services, std::unique_ptr<DiskDirectory> directory, std::string hello);

  Status open_spool();
  void make_servers();
  Status store_hello(const HelloFrame& hello);
  HelloFrame hello(Timestamp now) const;
  std::optional<StatusFrame> status(Timestamp now) const;
  void look_replaced();
  // True if a server has a batch of this number, or a later one, that the agent did not make if it made this.
  bool contradicts(const AgentPosition& made) const;

  const Services services_;
  std::unique_ptr<DiskDirectory> directory_;
  std::unique_ptr<Spool> spool_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::string hello_;                             // the agent's last hello, as a frame, without its token
  Timestamp hello_clock_{};                       // the agent's, in the hello of the last connection
  Timestamp booted_{};                            // the agent's host, by this host's clock; zero: not known
  std::string status_;                            // its last status, as a frame; empty: none
  Duration clock_ahead_{};                        // how far its clock is ahead of this host's
  AgentPosition accepted_;                        // may be ahead of stored_ by a gap
  AgentPosition stored_;                          // the last batch in the spool
  AgentPosition durable_;                         // the last one that is on disk
  GapReason gap_reason_ = GapReason::kSpoolFull;  // why the batches between stored_ and accepted_ are missing
  uint64_t lines_accepted_ = 0;
  std::shared_ptr<AgentObserver> observer_;  // of the current connection; null: there is none
  uint64_t connection_ = 0;                  // the number of the last one
  SteadyTime seen_;
  bool is_contradicted_ = false;
};

}  // namespace statmill
