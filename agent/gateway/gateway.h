// Gateway: the AgentHost of an agent that takes the batches of other agents and passes them on to servers:
// hosts that cannot reach a server send to one that can.
//
// Each agent has a directory of its own (agent_directories.h). Its batches are acknowledged to it once they
// are on this host's disk; the servers get them under the agent's own identity (forwarded_agent.h). A hello
// alone makes nothing: an agent is known here from its first batch or gap on.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>

#include "agent/gateway/agent_directories.h"
#include "agent/gateway/forwarded_agent.h"
#include "agent/gateway/gateway_options.h"
#include "agent/gateway/upstream.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/net/name_lookups.h"
#include "base/net/repeating_timer.h"
#include "ingest/agents/agent_host.h"

namespace statmill {

struct GatewayFigures {
  uint64_t agents = 0;         // connected now
  uint64_t lines = 0;          // accepted since the start
  uint64_t lines_dropped = 0;  // accepted, but a server may not get them
  uint64_t lines_waiting = 0;  // that a server lacks now
  uint64_t spool_bytes = 0;    // now, batches that the servers have included
  uint64_t failures = 0;       // failed writes, and directories that could not be read
};

// Confined to the thread of the io_context. Destroy it after that has stopped running and before the
// io_context.
class Gateway final : public AgentHost {
 public:
  struct Services {  // all must outlive it
    boost::asio::io_context& io;
    Log& log;
    const Clock& clock;
    std::function<void(const GatewayFigures& figures)> publish;  // called about once a second
  };
  // After a conflict an agent is refused for this long, so that nothing is accepted that a server never
  // accepts.
  static constexpr Duration kConflictPause = std::chrono::hours(1);
  // A directory that cannot be read is tried again after this, unless it is damaged: then it is put aside.
  static constexpr Duration kRetryInterval = std::chrono::minutes(1);

  // Creates the directory `path` if it does not exist. What an earlier process left there is opened once the
  // io_context runs. Errors: kIo.
  static Result<std::unique_ptr<Gateway>> open(const Services& services, const GatewayOptions& options,
                                               Upstream upstream, std::string path);
  ~Gateway() override;

  // Refuses with kOwner, kFenced, kReplaced (the agent is connected over fewer gateways), kProtocol (it came
  // over too many, or has no further epoch), kLimit, or kStopping: the disk fails, or batches of its last
  // epoch are still to be sent.
  std::variant<Opened, RefuseReason> open(const HelloFrame& hello, const LineSender& sender,
                                          const std::shared_ptr<AgentObserver>& observer,
                                          TickTime now) override;
  void note_outdated(const HelloFrame&, const LineSender&, Timestamp) override {}
  ClockLimit clock_limit(TickTime) const override { return {options_.clock_difference_max, false}; }
  void stop() override;

 private:
  class Connection;
  using Agents = std::map<AgentId, std::shared_ptr<ForwardedAgent>>;
  // An agent's claim to an id that a server has contradicted.
  struct Conflict {
    AgentSecret secret;
    uint32_t epoch = 0;
    RefuseReason reason = RefuseReason::kOwner;
    SteadyTime until;
  };

  Gateway(const Services& services, const GatewayOptions& options, Upstream upstream,
          AgentDirectories directories);
  ForwardedAgent::Services agent_services();

  void open_next();
  // Returns false if it cannot be opened now.
  bool open_agent(const AgentId& id);
  // Returns the reason to refuse an agent, if there is one.
  std::optional<RefuseReason> why_refused(const HelloFrame& hello);
  Agents::iterator find(const AgentId& id);
  // Makes the agent of a hello known. Requires: why_refused() has found nothing.
  std::variant<std::shared_ptr<ForwardedAgent>, RefuseReason> add(const HelloFrame& hello);
  Result<std::unique_ptr<ForwardedAgent>> begin(const HelloFrame& hello);
  bool make_room();
  bool has_room() const { return spool_bytes_ < options_.spool_total; }
  Status forget(Agents::iterator agent);

  void sync_soon(const std::shared_ptr<ForwardedAgent>& agent);
  void sync_next();
  void sync(ForwardedAgent& agent);
  void progressed(const std::shared_ptr<ForwardedAgent>& agent);
  void look_for_conflicts();
  void drop(Agents::iterator agent, const std::string& why);
  void tick();
  void publish();
  void failed(std::string_view what, const AgentId& id, const Error& error);
  void failed_if(const Status& status, const ForwardedAgent& agent);

  const Services services_;
  const GatewayOptions options_;
  const Upstream upstream_;
  NameLookups names_;
  const AgentDirectories directories_;
  std::set<AgentId> unopened_;  // directories of an earlier process
  SteadyTime opens_next_{};     // those that could not be opened
  Agents agents_;
  std::set<std::shared_ptr<ForwardedAgent>> unsynced_;    // to be synced when the current handlers end
  std::set<std::shared_ptr<ForwardedAgent>> progressed_;  // to be looked at for conflicts
  std::map<AgentId, Conflict> conflicts_;                 // at most agents_max
  RepeatingTimer timer_;
  LogLimiter failure_log_{std::chrono::seconds(60)};
  LogLimiter conflict_log_{std::chrono::seconds(1), 10};
  LogLimiter link_log_{std::chrono::seconds(60)};
  bool is_stopped_ = false;
  uint64_t spool_bytes_ = 0;  // sum over all agents at the last tick
  uint64_t failures_ = 0;
  uint64_t lines_left_ = 0;     // accepted from agents that are forgotten now
  uint64_t lines_dropped_ = 0;  // dropped from agents that are forgotten now
};

}  // namespace statmill
