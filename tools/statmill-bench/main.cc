// statmill-bench: measures a statmilld. Figures go to standard output, talk to standard error.
#include <cstdio>
#include <string>
#include <vector>

#include "tools/statmill-bench/options.h"

namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

int complain(const statmill::Error& error, int code) {
  std::fprintf(stderr, "statmill-bench: %s\n", error.message.c_str());
  return code;
}

statmill::Result<statmill::ServerProcess> reach_server(const statmill::BenchOptions& options) {
  if (options.server) return statmill::ServerProcess::running(*options.server);
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return statmill::ServerProcess::start(self.parent_path() / "statmilld");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto options = statmill::parse_bench_options(arguments);
  if (!options) return complain(options.error(), kUsage);
  if (options->help) {
    std::fputs(options->help->c_str(), stdout);
    return 0;
  }
  const auto server = reach_server(*options);
  if (!server) return complain(server.error(), kFailed);
  const auto measured = statmill::run_ingest(*server, options->ingest, statmill::SystemClock().wall());
  if (!measured) return complain(measured.error(), kFailed);
  const std::string text =
      options->is_json ? statmill::measurements_json(*measured) : statmill::measurements_table(*measured);
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? 0 : kFailed;
}
