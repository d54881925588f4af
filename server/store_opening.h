// Opens the store of statmilld and restores the table and the agents from it.
#pragma once

#include <functional>
#include <memory>
#include <variant>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "server/agents/agent_registry.h"
#include "server/config.h"
#include "server/health.h"
#include "server/table/table.h"
#include "server/tick/recovery.h"
#include "statmill/registry.h"
#include "storage/rocks/rocks_store.h"

namespace statmill {

// Makes a store over the one that was opened, which outlives it. It is called before anything is read.
using StoreLayer = std::function<Result<std::unique_ptr<Store>>(Store& below)>;

struct RecoveredStore {
  std::unique_ptr<RocksStore> store;
  std::unique_ptr<Store> layer;  // null: none
  Recovery recovery;
};

struct StoreOpening {  // all must outlive the store
  Table& table;
  AgentRegistry& agents;
  Registry& registry;
  Health& health;
  const Clock& clock;
  Log& log;
  const StoreLayer& layer;  // empty: none
};

// Opens the store and fills table and agents. With --salvage it logs and counts what is lost. If the store
// can only be read, it sets the problem "store" and succeeds.
std::variant<RecoveredStore, Fault> open_store(const ServerConfig& config, const StoreOpening& to);

// Returns the fault for an error of the store: its exit code, and the error with `context`.
Fault store_fault(Error error, std::string_view context);

}  // namespace statmill
