// SimServer: a simulated server: the real registry, streams, table and ticker with a store in memory.
//
// After a crash, the contents of the store remain. The simulation checks samples, positions and
// acknowledgments where they are passed on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/agents/agent_stream.h"
#include "server/agents/agent_registry.h"
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

  // Events in its life.
  void crash();
  void start();
  void restore_backup();  // crashes, and restores an earlier state of the store
  void keep_backup() { backups_.push_back(store_.backup()); }
  void fail_write();
  void fill_table(SteadyTime until) { full_until_ = until; }  // the table refuses lines
  void step_clock(Duration by);                               // forward or backward
  void set_clock_right() { wall_ahead_ = Duration(0); }
  void set_limits(const AgentLimits& limits) { limits_ = limits; }  // from the next start on
  bool is_up() const { return process_ != nullptr; }
  size_t number() const { return number_; }

  // Accepts a connection. A server that is down closes it.
  void accept(const std::shared_ptr<Connection>& connection);
  void tick();

  // The highest batches of a numbering that were ever in the store.
  struct EverDurable {
    uint64_t seq = 0;     // with all before it
    uint64_t newest = 0;  // perhaps ahead of a backlog
  };
  EverDurable ever_durable(const std::string& series) const;
  // The store's current row of an agent.
  std::optional<AgentRow> row(const AgentId& id);
  const ServerHistory& history() const { return history_; }
  TickTime now() const;  // readings of its clocks
  // Checks all invariants: of the store's contents and of the process's RAM.
  void audit();
  // Checks at the end; only for a server whose store was never restored.
  void check_losses();
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
  void deliver_to_others_now();

  Stage& stage_;
  const Ledger& ledger_;
  const size_t number_;
  MemoryStore store_;
  std::vector<MemoryStore::Backup> backups_;
  std::map<std::string, EverDurable> ever_durable_;  // by series
  std::map<AgentId, AgentProgress> last_rows_;       // as last seen in the store
  AgentLimits limits_;
  ServerHistory history_;
  SteadyTime full_until_{};
  Duration wall_ahead_{0};
  uint64_t crashes_ = 0;
  uint64_t starts_ = 0;
  std::unique_ptr<Process> process_;  // null: it is down
};

// The reading of a correct wall clock.
Timestamp server_wall(SteadyTime now);

}  // namespace statmill::sim
