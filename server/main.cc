// statmilld: parses, builds, runs.
#include <csignal>
#include <cstdio>
#include <exception>
#include <span>

#include "base/open_files.h"
#include "base/out_of_memory.h"
#include "base/service_manager.h"
#include "server/allocator.h"
#include "server/server.h"

namespace {

int fail(statmill::ExitCode code, const std::string& message) {
  std::fprintf(stderr, "statmilld: %s\n", message.c_str());
  return static_cast<int>(code);
}

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

constexpr const char* kUsage =
    "statmilld [OPTIONS]\n\nThe statmill server: takes samples by line protocol over UDP and TCP, keeps "
    "buckets in tiers, answers\n"
    "queries over HTTP. SIGINT and SIGTERM stop it with nothing lost; SIGHUP is logged and ignored.\n"
    "Exit status: 0 stopped, 1 failed, 2 bad setting, 3 data damaged, 4 data directory in use,\n"
    "5 data of another version, 6 cannot listen, 7 out of memory.";

}  // namespace

int main(int argc, char** argv) {
  using statmill::ExitCode;
  statmill::end_when_out_of_memory("statmilld");
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);  // until the server handles it
  statmill::tune_allocator();
  statmill::raise_open_files_limit();
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error of that write
  statmill::ServerConfig config;
  const auto settings = statmill::server_settings(config);
  const auto action = statmill::apply_settings(
      settings, {std::span<const char* const>(argv, static_cast<size_t>(argc)).subspan(1),
                 statmill::process_environment()});
  if (!action) return fail(ExitCode::kUsage, action.error().message);
  if (*action == statmill::SettingsAction::kShowHelp) {
    std::fputs(statmill::settings_help(kUsage, settings).c_str(), stdout);
    return 0;
  }
  if (*action == statmill::SettingsAction::kShowVersion) {
    std::puts("statmilld " STATMILL_VERSION);
    return 0;
  }
  try {
    return run(config);
  } catch (const std::exception& e) {  // of a library's: out of descriptors or threads, say
    return fail(ExitCode::kFailed, e.what());
  }
}
