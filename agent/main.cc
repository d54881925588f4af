#include "agent/agent.h"
#include "agent/check.h"
#include "agent/config.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/open_files.h"
#include "base/program.h"

namespace {

using statmill::ExitCode;
using statmill::Fault;

std::optional<Fault> measure(const statmill::AgentConfig& config) {
  if (!config.check && !config.once) statmill::prepare_service();
  statmill::raise_open_files_limit();
  const statmill::SystemClock clock;
  statmill::Log log(config.log_level);
  if (config.check) return statmill::check_collectors(config, log, clock);
  statmill::Agent agent(config, log, clock);
  return config.once ? agent.run_once() : agent.run();
}

std::optional<Fault> run(std::span<const char* const> arguments) {
  const auto command = statmill::parse_agent_command({arguments, statmill::process_environment()});
  if (!command) return Fault{ExitCode::kUsage, command.error()};
  switch (command->action) {
    case statmill::SettingsAction::kShowHelp:
      return statmill::print(statmill::agent_help());
    case statmill::SettingsAction::kShowVersion:
      return statmill::print("statmill-agent " STATMILL_VERSION "\n");
    case statmill::SettingsAction::kRun:
      break;
  }
  return measure(command->config);
}

}  // namespace

int main(int argc, char** argv) { return statmill::run_program("statmill-agent", argc, argv, run); }
