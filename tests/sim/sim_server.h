// SimServer: a server of the simulation: the real book, streams, table and ticker over a store in memory.
//
// What a crash leaves is the store's content. Samples, watermarks and acknowledgments are watched where they
// pass from one to the other.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/agents/agent_registry.h"
#include "server/agents/agent_stream.h"
#include "server/table/table.h"
#include "server/tick/ticker.h"
#include "tests/sim/connection.h"
#include "tests/sim/ledger.h"
#include "tests/sim/stage.h"
#include "tests/support/memory_store.h"

namespace statmill::sim {

// Confined to the stage's thread; the stage and the ledger must outlive it.
class SimServer {
 public:
  SimServer(Stage& stage, const Ledger& ledger, size_t number, const AgentLimits& limits);
  ~SimServer();

  // What may happen to it.
  void crash();
  void start();
  void set_back();  // crashes, and its store is as of an earlier day
  void keep_backup() { backups_.push_back(store_.backup()); }
  void fail_write();
  void fill(SteadyTime until) { full_until_ = until; }  // no room in the table
  void step_clock(Duration by);                         // up or down
  void set_clock_right() { wall_ahead_ = Duration(0); }
  void set_limits(const AgentLimits& limits) { limits_ = limits; }  // of its next life
  bool is_up() const { return process_ != nullptr; }
  size_t number() const { return number_; }

  // A connection comes; a server that is down closes it.
  void accept(const std::shared_ptr<Connection>& connection);
  void tick();

  // The farthest that the store ever was of this numbering.
  uint64_t ever_durable(const std::string& series) const;
  // What the store says of an agent now.
  std::optional<AgentRow> row(const AgentId& id);
  const ServerPast& past() const { return past_; }
  TickTime now() const;  // what its clocks show
  // All that must be true now: of the store's content, and of what the process has in RAM.
  void audit();
  // At the end, of one that was never set back.
  void check_told();
  std::string name() const { return "server " + std::to_string(number_); }

 private:
  class WatchedStore;
  class Session;
  struct Process;
  Content content(const Table& table, Store& store) const;
  void audit_store();
  std::vector<AgentRow> rows();
  void note_rows();
  void note_forgotten(const AgentId& id);
  void hurry_others();

  Stage& stage_;
  const Ledger& ledger_;
  const size_t number_;
  MemoryStore store_;
  std::vector<MemoryStore::Backup> backups_;
  std::map<std::string, uint64_t> ever_durable_;  // by series
  std::map<AgentId, AgentPosition> last_rows_;    // as the store had them
  AgentLimits limits_;
  ServerPast past_;
  SteadyTime full_until_{};
  Duration wall_ahead_{0};
  uint64_t crashes_ = 0;
  std::unique_ptr<Process> process_;  // null: it is down
};

// What a wall clock shows that is right.
Timestamp server_wall(SteadyTime now);

}  // namespace statmill::sim
