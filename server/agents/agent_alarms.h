// AgentAlarms: warns operators, in /readyz and in the log, of agents with wrong clocks, of clones, of stolen
// ids, of hosts that two agents send for, and of agents that must be upgraded. There is one warning per kind;
// it names the worst few agents.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "server/agents/agent_registry.h"
#include "server/health.h"

namespace statmill {

// Confined to one thread.
class AgentAlarms {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(10);
  static constexpr Duration kClockLogged = std::chrono::seconds(5);
  static constexpr Duration kClockWarned = std::chrono::minutes(1);
  static constexpr size_t kHostsListed = 1000;  // hosts with a conflict that are counted
  static constexpr size_t kNamed = 3;           // agents named in one warning, which counts all

  // All must outlive it.
  AgentAlarms(const AgentRegistry& agents, Health& health, Log& log)
      : agents_(agents), health_(health), log_(log) {}

  // Checks once every kInterval. Cost of a check: one pass over all agents.
  void tick(TickTime now);

 private:
  void check_clocks(SteadyTime now);
  void check_conflicts(SteadyTime now);
  void check_hosts(TickTime now);
  void check_outdated(TickTime now);
  void warn(std::string_view part, const std::string& text, LogLimiter& limiter, SteadyTime now);

  const AgentRegistry& agents_;
  Health& health_;
  Log& log_;
  SteadyTime next_check_{};
  LogLimiter clock_log_{std::chrono::minutes(10)};
  LogLimiter clone_log_{std::chrono::minutes(10)};
  LogLimiter owner_log_{std::chrono::minutes(10)};
  LogLimiter host_log_{std::chrono::minutes(10)};
  LogLimiter outdated_log_{std::chrono::minutes(10)};
};

}  // namespace statmill
