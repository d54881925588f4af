// AgentInfo: what a server tells of one agent.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "proto/agent/frames.h"
#include "proto/sample.h"
#include "storage/agent_row.h"

namespace statmill {

using RefusalCounts = std::array<uint64_t, kRefusalCount>;

// A collector that is not ok.
struct CollectorTrouble {
  std::string name;
  uint8_t state = 0;  // as CollectorNote has it
  std::string reason;
};

// The newest StatusFrame of a connection, within bounds.
struct AgentStatus {
  static constexpr size_t kTroublesKept = 16;  // the first; all are counted

  uint64_t spool_bytes = 0;
  uint64_t lines_dropped = 0;
  size_t collectors = 0;
  size_t collectors_not_ok = 0;
  std::vector<CollectorTrouble> troubles = {};
};

// What is known of an agent while it is connected.
struct AgentContact {
  std::string host;
  std::string peer;
  std::string agent_version;
  Duration clock_ahead{};  // of the server's
  RefusalCounts refused{};
  std::optional<AgentStatus> status = {};
};

struct AgentInfo {
  AgentRow row;  // as taken
  AgentPosition durable;
  std::optional<AgentContact> contact;  // none: it is not connected

  const std::string& host() const { return contact ? contact->host : row.host; }
  const std::string& peer() const { return contact ? contact->peer : row.peer; }
  const std::string& agent_version() const { return contact ? contact->agent_version : row.agent_version; }
};

// The digits of an id that are shown.
inline constexpr size_t kIdDigitsShown = 8;
inline std::string shown_id(const AgentId& id) { return id.text().substr(0, kIdDigitsShown); }

}  // namespace statmill
