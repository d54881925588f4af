// AgentWatcher: a connection, as the agent book sees it.
#pragma once

#include <cstdint>

#include "proto/agent/frames.h"

namespace statmill {

// Called on any thread, never under a lock of the book's.
class AgentWatcher {
 public:
  virtual ~AgentWatcher() = default;
  // All batches up to ack.seq are durable.
  virtual void durable(AckFrame ack) = 0;
  // The connection speaks for its agent no more: kReplaced, or kStopping if the agent is forgotten.
  virtual void ended(RefuseReason reason) = 0;
};

}  // namespace statmill
