// statmill-agent: measures its host and pushes the samples to a statmill server.
//
// Exit codes: 0 stopped on request, 1 failure, 2 wrong usage or configuration, 5 the spool has another format
// version, 7 out of memory.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>

#include "agent/agent.h"
#include "agent/check.h"
#include "agent/config.h"
#include "base/clock.h"
#include "base/ending_signals.h"
#include "base/log.h"
#include "base/open_files.h"
#include "base/out_of_memory.h"

namespace {

int run(const statmill::AgentConfig& config) {
  statmill::Log log(config.log_level);
  const statmill::SystemClock clock;
  if (!config.check && !config.once) statmill::block_ending_signals();
  try {
    if (config.check) return statmill::check_collectors(config, log, clock);
    statmill::Agent agent(config, log, clock);
    return config.once ? agent.run_once() : agent.run();
  } catch (const std::exception& e) {  // from a library: our own code throws nothing
    log.error("agent failed", {{"reason", e.what()}});
    return EXIT_FAILURE;
  }
}

}  // namespace

int main(int argc, char** argv) {
  statmill::end_when_out_of_memory("statmill-agent");
  const std::span<const char* const> arguments(argv + 1, argc > 0 ? static_cast<size_t>(argc - 1) : 0);
  const auto command = statmill::parse_agent_command({arguments, statmill::process_environment()});
  if (!command) {
    std::fprintf(stderr, "statmill-agent: %s\n", command.error().message.c_str());
    return statmill::kExitUsage;
  }
  switch (command->action) {
    case statmill::SettingsAction::kShowHelp:
      return std::fputs(statmill::agent_help().c_str(), stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    case statmill::SettingsAction::kShowVersion:
      return std::puts("statmill-agent " STATMILL_VERSION) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    case statmill::SettingsAction::kRun:
      break;
  }
  statmill::raise_open_files_limit();
  return run(command->config);
}
