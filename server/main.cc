#include <csignal>
#include <cstdio>
#include <exception>
#include <span>

#include "base/ending_signals.h"
#include "base/open_files.h"
#include "base/out_of_memory.h"
#include "base/service_manager.h"
#include "server/allocator.h"
#include "server/server.h"
#include "server/usage.h"

namespace {

int fail(statmill::ExitCode code, const std::string& message) {
  std::fprintf(stderr, "statmilld: %s\n", message.c_str());
  return static_cast<int>(code);
}

int show(const std::string& text) { return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0; }

int run(const statmill::ServerConfig& config) {
  const statmill::SystemClock clock;
  statmill::Log log(config.log_level);
  statmill::Server server(config, clock, log);
  if (const auto fault = server.start()) return fail(fault->code, fault->error.message);
  statmill::service_manager::ready();
  server.wait_for_signal();
  statmill::service_manager::stopping();
  if (const auto fault = server.stop()) return fail(fault->code, fault->error.message);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  using statmill::ExitCode;
  statmill::end_when_out_of_memory("statmilld");
  statmill::block_ending_signals();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error of that write
  statmill::tune_allocator();
  statmill::raise_open_files_limit();
  statmill::ServerConfig config;
  const auto settings = statmill::server_settings(config);
  const auto arguments = std::span<const char* const>(argv, static_cast<size_t>(argc)).subspan(1);
  const auto action = statmill::apply_settings(settings, {arguments, statmill::process_environment()});
  if (!action) return fail(ExitCode::kUsage, action.error().message);
  if (*action == statmill::SettingsAction::kShowHelp)
    return show(statmill::settings_help(statmill::kServerUsage, settings));
  if (*action == statmill::SettingsAction::kShowVersion) return show("statmilld " STATMILL_VERSION "\n");
  try {
    return run(config);
  } catch (const std::exception& e) {  // from a library, for example when threads or descriptors run out
    return fail(ExitCode::kFailed, e.what());
  }
}
