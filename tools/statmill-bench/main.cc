// statmill-bench measures a statmilld and its store. It prints figures to standard output and progress to
// standard error.
#include <cstdio>
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

statmill::Result<std::vector<statmill::Measurement>> run(const statmill::BenchOptions& options) {
  const statmill::Timestamp now = statmill::SystemClock().wall();
  std::error_code error;
  const auto programs = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const auto program = programs / "statmilld";
  if (options.suite == statmill::Suite::kStorage) return statmill::run_storage(options.storage, program, now);
  if (options.suite == statmill::Suite::kCounters) return statmill::run_counters(options.counters);
  if (options.suite == statmill::Suite::kRelay)
    return statmill::run_relay(options.relay, program.parent_path());
  if (options.suite == statmill::Suite::kBpf)
    return statmill::run_bpf(options.bpf, programs / "statmill-agent");
  if (options.suite == statmill::Suite::kAgents) return statmill::run_agents(options.agents, programs);
  return statmill::run_ingest(options.ingest, program, now);
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
  const auto measured = run(*options);
  if (!measured) return complain(measured.error(), kFailed);
  const std::string text =
      options->is_json ? statmill::measurements_json(*measured) : statmill::measurements_table(*measured);
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? 0 : kFailed;
}
