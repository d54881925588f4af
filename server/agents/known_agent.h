// The state that AgentRegistry keeps of one agent. Included only by the source files of AgentRegistry.
#pragma once

#include <memory>

#include "server/agents/agent_registry.h"

namespace statmill {

// Lock order: `mutex`, then the registry's mutex. `mutex` is held while a batch of the agent is applied, so
// if two connections send the same batch, one applies it and the other then finds it accepted.
struct AgentRegistry::Agent {
  // The connection that speaks for the agent.
  struct Connection {
    std::shared_ptr<AgentObserver> observer;
    uint32_t epoch = 0;  // from its hello
    Timestamp clock{};   // the agent's, from its hello
    AgentConnectionInfo info;
  };

  Mutex mutex;
  AgentRow row GUARDED_BY(mutex);             // after the last accepted frame
  uint64_t connection GUARDED_BY(mutex) = 0;  // number of the connection that speaks for the agent; 0: none
  // The row that the connection's next frame extends, with the claims of its hello. nullptr: no connection.
  std::unique_ptr<AgentRow> provisional GUARDED_BY(mutex);
  RecentFrames recent GUARDED_BY(mutex);

  // Guarded by the registry's mutex.
  AgentRow row_copy;  // equals `row`, for readers that must not wait for `mutex`
  AgentProgress durable;
  uint64_t durable_lines_refused = 0;
  bool is_registered = false;       // counts for --agent.limit: the store has its row, or will have it
  bool is_being_forgotten = false;  // the next tick forgets it
  std::unique_ptr<Connection> connected;

  ConflictSide side() const {
    return connected ? ConflictSide{connected->info.host, connected->info.peer}
                     : ConflictSide{row_copy.host, row_copy.peer};
  }
};

}  // namespace statmill
