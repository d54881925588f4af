// The list of all collectors: their names, which of them are on by default, and how each is made.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/collectors/collector.h"
#include "agent/config.h"
#include "base/clock.h"
#include "base/log.h"

namespace statmill {

// What collectors are made of; all but the config outlives them.
struct Environment {
  const AgentConfig& config;
  ProcReader& proc;
  const Clock& clock;
  Log& log;
};

struct CollectorKind {
  std::string_view name;
  bool is_default = false;
  std::string_view source;  // what it reads
};

// In the order in which they are called.
std::vector<CollectorKind> collector_kinds();
std::vector<std::string_view> collector_names();
// Those that cost so little that every host can have them.
std::vector<std::string_view> default_collector_names();

// Those that the config names. Requires: it names only those there are.
std::vector<std::unique_ptr<Collector>> make_collectors(const Environment& around);

}  // namespace statmill
