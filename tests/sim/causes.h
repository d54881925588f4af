// Causes: what may give an agent of this world cause to take a new identity while it runs. Without one of
// them it must keep the one it has: a new identity gives up batches.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "proto/agent/frames.h"

namespace statmill::sim {

class Causes {
 public:
  // Two agents have the id.
  void cloned(const AgentId& id) { cloned_.insert(id); }
  // A stranger who has the id's secret spoke for it.
  void impersonated(const AgentId& id) { impersonated_.insert(id); }
  // The agent has left a connection before the server welcomed it: its hello may be heard later, and replace
  // the connection that came after.
  void left_unwelcome(const AgentId& id, size_t server) { left_.emplace(id, server); }
  // A stranger without the secret said the id to a server that may not know whose it is.
  void claimed(const AgentId& id, size_t server) { claimed_.emplace(id, server); }

  // Whether an agent may give up the id after what the server has said last. None: it has refused nothing.
  bool justify(const AgentId& id, size_t server, std::optional<RefuseReason> refused) const {
    if (cloned_.contains(id)) return true;
    if (refused == RefuseReason::kFenced) return false;
    if (claimed_.contains({id, server})) return true;
    return refused != RefuseReason::kOwner && (impersonated_.contains(id) || left_.contains({id, server}));
  }

 private:
  std::set<AgentId> cloned_;
  std::set<AgentId> impersonated_;
  std::set<std::pair<AgentId, size_t>> claimed_;
  std::set<std::pair<AgentId, size_t>> left_;
};

}  // namespace statmill::sim
