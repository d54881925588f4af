// AgentObserver: an agent's connection as an AgentHost sees it, which calls it when batches become durable
// and when the connection has to end.
#pragma once

#include <cstdint>

#include "proto/agent/frames.h"

namespace statmill {

// Called on any thread, without a lock of the host held.
class AgentObserver {
 public:
  virtual ~AgentObserver() = default;
  // All batches up to ack.seq are durable.
  virtual void on_durable(AckFrame ack) = 0;
  // The connection no longer speaks for its agent: kReplaced, or kStopping if the agent is being forgotten.
  virtual void on_ended(RefuseReason reason) = 0;
};

}  // namespace statmill
