// The list of all collectors: their names, which are on by default, and how each is made.
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

// The parts that collectors use. Everything except the config must outlive them.
struct Environment {
  const AgentConfig& config;
  ProcReader& proc;
  const Clock& clock;
  Log& log;
  ContainerNames& containers;
};

inline constexpr std::string_view kEbpfSource = "eBPF";
struct CollectorKind {
  std::string_view name;
  bool is_default = false;
  std::string_view source;  // the text that it reads; kEbpfSource: none
};

// In calling order.
std::vector<CollectorKind> collector_kinds();
std::vector<std::string_view> collector_names();
// Those that are cheap enough for every host.
std::vector<std::string_view> default_collector_names();

// Makes the collectors that the config names. Requires: their names are valid.
std::vector<std::unique_ptr<Collector>> make_collectors(const Environment& environment);

}  // namespace statmill
