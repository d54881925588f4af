// Causes: records events that justify that a running agent changes its identity. Without one of them it must
// keep its identity, because a change gives up batches.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "proto/agent/frames.h"

namespace statmill::sim {

class Causes {
 public:
  // Two agents have this id.
  void cloned(const AgentId& id) { cloned_.insert(id); }
  // A stranger with the id's secret sent messages in its name.
  void impersonated(const AgentId& id) { impersonated_.insert(id); }
  // The agent has left a connection before the server welcomed it. Its hello may arrive later and replace a
  // newer connection.
  void left_before_welcome(const AgentId& id, size_t server) { left_.emplace(id, server); }
  // A stranger without the secret sent a hello with this id to a server that may not know whose it is.
  void claimed(const AgentId& id, size_t server) { claimed_.emplace(id, server); }

  // Returns whether an agent may give up the id after the server's last refusal. nullopt: the server has
  // refused nothing.
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
