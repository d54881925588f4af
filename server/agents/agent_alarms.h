// AgentAlarms: what an operator should know of the agents, as warnings in /readyz and as log lines: clocks
// that differ, clones, and stolen ids. One warning of each kind, which names the worst few.
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
  static constexpr size_t kNamed = 3;  // in one text; all are counted

  // All must outlive it.
  AgentAlarms(const AgentRegistry& book, Health& health, Log& log)
      : book_(book), health_(health), log_(log) {}

  // Looks once in kInterval. Cost of a look: one pass over all agents.
  void tick(SteadyTime now);

 private:
  void look_at_clocks(SteadyTime now);
  void look_at_conflicts(SteadyTime now);
  void warn(std::string_view part, const std::string& text, LogLimiter& limiter, SteadyTime now);

  const AgentRegistry& book_;
  Health& health_;
  Log& log_;
  SteadyTime next_{};
  LogLimiter clock_log_{std::chrono::minutes(10)};
  LogLimiter clone_log_{std::chrono::minutes(10)};
  LogLimiter owner_log_{std::chrono::minutes(10)};
};

}  // namespace statmill
