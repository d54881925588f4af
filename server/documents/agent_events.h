// AgentEvents: makes events of what happens to agents and their hosts: away for a minute, connected again,
// lines lost for good, another version of the program; a boot, another kernel, other sources of a collector.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/tick_time.h"
#include "server/agents/agent_registry.h"
#include "server/documents/event_log.h"

namespace statmill {

// Confined to one thread. Many agents that are away together, as after a fault of the network, are one event.
class AgentEvents {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(5);
  static constexpr Duration kAway = std::chrono::minutes(1);
  static constexpr Duration kSourcesApart = std::chrono::minutes(10);  // two events of one host's sources
  static constexpr size_t kSingle = 5;  // agents of one check that have an event of their own
  static constexpr size_t kNamed = 20;  // agents named in a common one, which counts all

  // Both must outlive it.
  AgentEvents(const AgentRegistry& agents, EventLog& events) : agents_(agents), events_(events) {}

  // Checks once every kInterval. The first check only notes how things are; call it before agents connect.
  // Cost of a check: one pass over all agents.
  void tick(TickTime now);

 private:
  struct Known {
    bool is_connected = false;
    bool is_reported = true;  // that it is away; true as well if it was never seen connected
    SteadyTime gone{};        // when it was first seen without a connection
    Timestamp gone_wall{};
    uint64_t gaps = 0;
    std::string version;
    HostBoot boot;
    SharedSources sources;
    SteadyTime sources_due{};  // when the next event of them may come
    uint64_t check = 0;        // the last check that saw it
  };
  // What one check found, one kind each.
  struct Found {
    std::vector<Event> away;
    std::vector<Event> back;
    std::vector<Event> gaps;
    std::vector<Event> versions;
    std::vector<Event> boots;
    std::vector<Event> kernels;
    std::vector<Event> sources;
  };

  using AgentState = AgentRegistry::AgentState;
  static void check_presence(const AgentState& agent, Known& known, TickTime now, Found& found);
  static void check_gaps(const AgentState& agent, Known& known, Found& found);
  static void check_version(const AgentState& agent, Known& known, TickTime now, Found& found);
  static void check_boot(const AgentState& agent, Known& known, TickTime now, Found& found);
  static void check_sources(const AgentState& agent, Known& known, TickTime now, Found& found);
  void add(std::vector<Event> events, const std::string& what);

  const AgentRegistry& agents_;
  EventLog& events_;
  std::map<AgentId, Known> known_;
  SteadyTime next_check_{};
  uint64_t checks_ = 0;
};

}  // namespace statmill
