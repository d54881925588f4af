// Gateway: the AgentHost of an agent that takes the batches of other agents and passes them on to servers:
// hosts that cannot reach a server send to one that can.
//
// Each agent has a directory of its own, named by its id. Its batches are acknowledged to it once they are on
// this host's disk; the servers get them under the agent's own identity (forwarded_agent.h).
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>

#include "agent/gateway/forwarded_agent.h"
#include "agent/gateway/gateway_options.h"
#include "agent/gateway/upstream.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/net/repeating_timer.h"
#include "ingest/agents/agent_host.h"

namespace statmill {

struct GatewayFigures {
  uint64_t agents = 0;         // connected now
  uint64_t lines = 0;          // accepted since the start
  uint64_t lines_dropped = 0;  // accepted, but a server will not get them
  uint64_t lines_waiting = 0;  // that a server lacks now
  uint64_t spool_bytes = 0;    // now, batches that the servers have included
  uint64_t failures = 0;       // failed writes, and directories that could not be read at the start
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
  // After a conflict an agent is refused for this long, so that nothing is accepted that no server accepts.
  static constexpr Duration kConflictPause = std::chrono::hours(1);

  // Opens what is in the directory `path`, which is created if it does not exist, and begins to connect to
  // the servers. Errors: those of the disk. What belongs to one agent and cannot be read is logged and left
  // out.
  static Result<std::unique_ptr<Gateway>> open(const Services& services, const GatewayOptions& options,
                                               Upstream upstream, const std::string& path);
  ~Gateway() override;

  // Refuses with kOwner, kFenced, kLimit, or kStopping (the disk fails, or batches of the agent's last epoch
  // are still to be sent).
  std::variant<Opened, RefuseReason> open(const HelloFrame& hello, const LineSender& sender,
                                          const std::shared_ptr<AgentObserver>& observer,
                                          TickTime now) override;
  void note_outdated(const HelloFrame&, const LineSender&, Timestamp) override {}
  ClockLimit clock_limit(TickTime) const override { return {options_.clock_difference_max, false}; }
  void stop() override;

 private:
  class Connection;
  using Agents = std::map<AgentId, std::shared_ptr<ForwardedAgent>>;

  Gateway(const Services& services, const GatewayOptions& options, Upstream upstream, std::string path);
  Status open_agents();
  ForwardedAgent::Services agent_services();
  std::string path_of(const AgentId& id) const { return path_ + "/" + id.text(); }

  // Returns the agent of a hello, which is new if it is not known.
  std::variant<std::shared_ptr<ForwardedAgent>, RefuseReason> find_or_add(const HelloFrame& hello);
  std::variant<std::shared_ptr<ForwardedAgent>, RefuseReason> add(const HelloFrame& hello);
  bool make_room();
  void forget(Agents::iterator agent);
  void remove_files(const AgentId& id);

  void sync_soon(const std::shared_ptr<ForwardedAgent>& agent);
  void sync();
  void sync(ForwardedAgent& agent);
  void progressed();
  void drop_conflicts();
  void tick();
  void publish();
  void failed(std::string_view what, const std::string& id, const Error& error);
  void failed_if(const Status& status, const ForwardedAgent& agent);

  const Services services_;
  const GatewayOptions options_;
  const Upstream upstream_;
  const std::string path_;
  Agents agents_;
  std::set<std::shared_ptr<ForwardedAgent>> unsynced_;  // to be synced when the current handlers end
  bool is_check_due_ = false;                           // for conflicts
  std::map<AgentId, SteadyTime> conflicts_;             // refused until then; at most agents_max
  RepeatingTimer timer_;
  LogLimiter failure_log_{std::chrono::seconds(60)};
  uint64_t failures_ = 0;
  uint64_t lines_left_ = 0;     // accepted from agents that are forgotten now
  uint64_t lines_dropped_ = 0;  // of agents that are forgotten now
};

}  // namespace statmill
