// AgentInfo: what the server knows of one agent, as a copy for reports.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "proto/agent/frames.h"
#include "proto/sample.h"
#include "storage/agent_row.h"

namespace statmill {

using RefusalCounts = std::array<uint64_t, kRefusalCount>;

// A collector that does not work fully.
struct CollectorTrouble {
  std::string name;
  uint8_t state = 0;  // the value of CollectorNote::state
  std::string reason;
};

// The sources that a collector uses, if its agent reports them.
struct CollectorSource {
  std::string name;
  uint8_t sources = 0;  // CollectorNote::sources; 0: nothing serves it

  bool operator==(const CollectorSource&) const = default;
};
// Those of one agent in the order of its report; nullptr: it has not said.
using SharedSources = std::shared_ptr<const std::vector<CollectorSource>>;

// The newest StatusFrame of a connection, with a bounded list of troubles.
struct AgentStatus {
  static constexpr size_t kTroublesKept = 16;  // the first 16; collectors_not_ok counts all

  uint64_t spool_bytes = 0;
  uint64_t lines_dropped = 0;
  size_t collectors = 0;
  size_t collectors_not_ok = 0;
  std::vector<CollectorTrouble> troubles = {};
};

// What the server knows of an agent only while it is connected.
struct AgentConnectionInfo {
  std::string host;
  std::string peer;
  std::string agent_version;
  HostBoot boot;
  Timestamp since{};       // when the connection opened, by the server's clock
  Duration clock_ahead{};  // how far the agent's clock is ahead of the server's; negative if it lags
  RefusalCounts refused{};
  std::optional<AgentStatus> status = {};
  SharedSources sources = {};
};

struct AgentInfo {
  AgentRow row;  // in memory; may be ahead of the store
  AgentProgress durable;
  std::optional<AgentConnectionInfo> connection;  // nullopt: not connected

  const std::string& host() const { return connection ? connection->host : row.host; }
  const std::string& peer() const { return connection ? connection->peer : row.peer; }
  const std::string& agent_version() const {
    return connection ? connection->agent_version : row.agent_version;
  }
  const HostBoot& boot() const { return connection ? connection->boot : row.boot; }
};

// Agents of different ids that both send as one host: their samples are added up.
struct HostConflict {
  struct Party {
    AgentId id{};
    std::string peer;  // address and port
  };
  std::string host;
  std::vector<Party> parties = {};  // at least 2, by id
};

}  // namespace statmill
