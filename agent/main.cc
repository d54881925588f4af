#include "agent/agent.h"
#include "agent/catalogue/catalogue.h"
#include "agent/check.h"
#include "agent/config.h"
#include "agent/gateway/gateway_settings.h"
#include "agent/recording/recorder.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/open_files.h"
#include "base/program.h"

namespace {

using statmill::ExitCode;
using statmill::Fault;

constexpr statmill::Duration kHostNameLimit{2000};
constexpr size_t kOwn = 256;  // descriptors of the spool, its servers, eBPF maps and counters of the CPUs

std::optional<Fault> measure(statmill::AgentConfig& config) {
  if (config.series) return statmill::print(statmill::series_page());
  if (!config.check && !config.once) statmill::prepare_service();
  if (config.host.empty() && !config.check) config.host = statmill::own_host_name(kHostNameLimit);
  const size_t open_files_max = statmill::raise_open_files_limit();
  const statmill::SystemClock clock;
  statmill::Log log(config.log);
  size_t& connections = config.relay.line.connections_max;
  const size_t rest = statmill::fit_gateway(open_files_max, config.outbox, config.gateway, log);
  connections = statmill::connections_that_fit(rest, kOwn + config.scrape.descriptors(), connections, log);
  if (config.check) return statmill::check_collectors(config, log, clock);
  if (config.record.is_on()) return statmill::Recorder(config, log, clock).run();
  statmill::Agent agent(config, log, clock);
  return config.once ? agent.run_once() : agent.run();
}

std::optional<Fault> run(std::span<const char* const> arguments) {
  auto command = statmill::parse_agent_command({arguments, statmill::process_environment()});
  if (!command) return Fault{ExitCode::kUsage, command.error()};
  switch (command->action) {
    case statmill::SettingsAction::kShowHelp:
      return statmill::print(statmill::agent_help());
    case statmill::SettingsAction::kShowVersion:
      return statmill::print("statmill-agent " STATMILL_VERSION "\n");
    case statmill::SettingsAction::kRun:
    case statmill::SettingsAction::kCheckConfig:
      break;
  }
  for (const std::string& line : command->unknown_variables) statmill::Log(command->config.log).warn(line);
  if (command->action == statmill::SettingsAction::kCheckConfig) {
    if (auto status = statmill::check_agent_files(command->config); !status)
      return Fault{ExitCode::kUsage, status.error()};
    return statmill::print("statmill-agent: the settings are valid\n");
  }
  return measure(command->config);
}

}  // namespace

int main(int argc, char** argv) { return statmill::run_program("statmill-agent", argc, argv, run); }
