// statmill-bench measures a statmilld and its store. It prints figures to standard output and progress to
// standard error.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/out_of_memory.h"
#include "tools/statmill-bench/options.h"

namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

int complain(const statmill::Error& error, int code) {
  std::fprintf(stderr, "statmill-bench: %s\n", error.message.c_str());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  statmill::end_when_out_of_memory("statmill-bench");
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto options = statmill::parse_bench_options(arguments);
  if (!options) return complain(options.error(), kUsage);
  if (options->help) {
    std::fputs(options->help->c_str(), stdout);
    return 0;
  }
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto measured = options->run(program.parent_path());
  if (!measured) return complain(measured.error(), kFailed);
  const std::string text =
      options->is_json ? statmill::measurements_json(*measured) : statmill::measurements_table(*measured);
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? 0 : kFailed;
}
