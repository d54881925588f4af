// KnownAgent: what the agent book holds of one agent. For the files of AgentRegistry only.
#pragma once

#include <memory>

#include "server/agents/agent_registry.h"

namespace statmill {

// Its own lock is held while a batch of it is applied, so that of two connections one has it, and the other
// then finds it taken. The book's lock comes inside it.
struct AgentRegistry::Agent {
  // Who speaks for it now.
  struct Connection {
    std::shared_ptr<AgentWatcher> watcher;
    uint32_t epoch = 0;  // of its hello
    AgentContact contact;
  };

  Mutex mutex;
  AgentRow row GUARDED_BY(mutex);             // as taken
  uint64_t connection GUARDED_BY(mutex) = 0;  // number of the one that speaks for it; 0: none
  // The row that the connection's next frame goes on from: what its hello says is in it. Null: no connection.
  std::unique_ptr<AgentRow> offer GUARDED_BY(mutex);
  FreshFrames fresh GUARDED_BY(mutex);

  // Under the book's lock.
  AgentRow noted;  // the same as `row`, for those who must not wait
  AgentPosition durable;
  uint64_t durable_lines_refused = 0;
  bool is_kept = false;     // it has a place: the store has a row of it, or will
  bool is_leaving = false;  // the next tick forgets it
  std::unique_ptr<Connection> connected;

  AgentParty party() const {
    return connected ? AgentParty{connected->contact.host, connected->contact.peer}
                     : AgentParty{noted.host, noted.peer};
  }
};

}  // namespace statmill
