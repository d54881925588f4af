// AgentConfig: the agent's settings, from the command line, the environment and a file (base/settings.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/delivery/outbox_options.h"
#include "agent/gateway/gateway_options.h"
#include "agent/host_name.h"
#include "agent/recording/hindsight_options.h"
#include "agent/relay/relay_options.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/watchdog_options.h"
#include "ingest/scrape/scrape_options.h"

namespace statmill {

struct AgentConfig {
  Duration interval{1000};              // 100ms to 1h
  std::string host;                     // the tag `host` of every series; empty: main() sets own_host_name()
  HostTags tags;                        // further tags of every series
  std::vector<std::string> collectors;  // names, in calling order
  std::string programs_directory;       // where programs share their cells
  size_t processes_max = 0;             // read in one walk
  size_t processes_programs = 0;        // with series, by CPU time and by memory each
  std::string filesystem_root;          // before the path of each mount; empty outside containers
  OutboxOptions outbox;
  RelayOptions relay;
  GatewayOptions gateway;
  ScrapeOptions scrape;
  size_t scrape_series = 0;             // counters of targets whose last value is remembered
  std::optional<Endpoint> http_listen;  // for /metrics; nullopt: off
  WatchdogOptions watchdog;
  LogOptions log;
  HindsightOptions hindsight;
  RecordOptions record;
  bool once = false;                // collect, print, exit
  bool check = false;               // print what can be collected, exit
  bool series = false;              // print the catalogue, exit
  bool removes_cells = true;        // removes files of programs that have ended; not an option
  std::string proc_root = "/proc";  // tests use another directory; not an option
};

// Returns the settings that fill `config`, which must outlive them.
std::vector<Setting> agent_settings(AgentConfig& config);

struct AgentCommand {
  SettingsAction action = SettingsAction::kRun;
  AgentConfig config;                          // valid if the action is kRun or kCheckConfig
  std::vector<std::string> unknown_variables;  // of the environment, a line for each
};

// Errors: those of apply_settings.
Result<AgentCommand> parse_agent_command(const SettingsInput& input);

// Returns the text of --help.
std::string agent_help();

}  // namespace statmill
