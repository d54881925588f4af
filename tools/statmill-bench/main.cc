// statmill-bench measures a statmilld and its store. It prints figures to standard output and progress to
// standard error.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "base/open_files.h"
#include "base/program.h"
#include "tools/statmill-bench/options.h"

namespace {

using statmill::ExitCode;
using statmill::Fault;

std::optional<Fault> run(std::span<const char* const> arguments) {
  const auto options =
      statmill::parse_bench_options(std::vector<std::string>(arguments.begin(), arguments.end()));
  if (!options) return Fault{ExitCode::kUsage, options.error()};
  if (options->help) return statmill::print(*options->help);
  statmill::raise_open_files_limit();
  std::signal(SIGPIPE, SIG_IGN);  // a server that closes is an error of that write
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto measured = options->run(program.parent_path());
  if (!measured) return Fault{ExitCode::kFailed, measured.error()};
  return statmill::print(options->is_json ? statmill::measurements_json(*measured)
                                          : statmill::measurements_table(*measured));
}

}  // namespace

int main(int argc, char** argv) { return statmill::run_program("statmill-bench", argc, argv, run); }
