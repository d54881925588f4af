#include <utility>

#include "base/open_files.h"
#include "base/program.h"
#include "server/allocator.h"
#include "server/config_check.h"
#include "server/demo/demo.h"
#include "server/descriptors.h"
#include "server/recording/recording_server.h"
#include "server/server.h"
#include "server/usage.h"

namespace {

using statmill::ExitCode;
using statmill::Fault;

std::optional<Fault> serve(statmill::ServerConfig config, size_t open_files_max,
                           const statmill::SettingsInput& input) {
  const statmill::SystemClock clock;
  statmill::Log log(config.log);
  if (auto fault = statmill::plan_descriptors(open_files_max, config, log)) return fault;
  statmill::Server server(std::move(config), clock, log, input);
  // Reports before the destructor of the server, which waits for the disk.
  if (auto fault = server.start()) return statmill::report(std::move(fault));
  server.wait_for_signal();
  return statmill::report(server.stop());
}

std::optional<Fault> run(std::span<const char* const> arguments) {
  const statmill::SettingsInput input{arguments, statmill::process_environment()};
  statmill::ServerConfig config;
  auto settings = statmill::server_settings(config);
  auto action = statmill::apply_settings(settings, input);
  const bool is_recording = !config.recording.empty();
  if (action && (config.demo.is_on || is_recording)) {  // again, with other defaults
    config = {};
    is_recording ? statmill::use_recording_defaults(settings) : statmill::use_demo_defaults(settings);
    action = statmill::apply_settings(settings, input);
  }
  if (!action) return Fault{ExitCode::kUsage, action.error()};
  using Action = statmill::SettingsAction;
  if (*action == Action::kShowHelp)
    return statmill::print(statmill::settings_help(statmill::kServerUsage, settings));
  if (*action == Action::kShowVersion) return statmill::print("statmilld " STATMILL_VERSION "\n");
  for (const std::string& line : statmill::unknown_variables(settings, input))
    statmill::Log(config.log).warn(line);
  if (*action == Action::kCheckConfig) return statmill::check_config(config);
  statmill::tune_allocator();
  if (is_recording) return statmill::serve_recording(std::move(config));
  statmill::prepare_service();
  const size_t open_files_max = statmill::raise_open_files_limit();
  return config.demo.is_on ? statmill::serve_demo(std::move(config))
                           : serve(std::move(config), open_files_max, input);
}

}  // namespace

int main(int argc, char** argv) { return statmill::run_program("statmilld", argc, argv, run); }
