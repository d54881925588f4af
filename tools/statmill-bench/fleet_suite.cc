#include "tools/statmill-bench/fleet_suite.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <random>
#include <thread>

#include "base/descriptor.h"
#include "proto/agent/frames.h"
#include "tools/statmill-bench/agents_sender.h"
#include "tools/statmill-bench/child_process.h"
#include "tools/statmill-bench/server_process.h"
#include "tools/statmill-bench/suites.h"

namespace statmill {
namespace {

constexpr size_t kVariants = 60;  // batches that the hosts send in turn

// Returns what `statmill-agent --once` prints.
Result<std::string> host_lines(const std::filesystem::path& programs) {
  const Descriptor file(::memfd_create("lines", MFD_CLOEXEC));
  const Descriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!file.is_open() || !nothing.is_open()) return Error{ErrorCode::kIo, "cannot make a file in memory"};
  const auto pid = spawn_process(programs / "statmill-agent", {"--once"}, {file.get(), nothing.get()});
  if (!pid) return pid.error();
  if (wait_for_process(*pid) != 0) return Error{ErrorCode::kIo, "statmill-agent --once failed"};
  std::string text(static_cast<size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
  if (::pread(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) || text.empty())
    return Error{ErrorCode::kIo, "statmill-agent --once printed nothing"};
  return text;
}

struct FleetCost {
  std::chrono::nanoseconds cpu{};
  std::chrono::nanoseconds over{};
  uint64_t resident_bytes = 0;
  uint64_t samples = 0;
};

// Sends for the warm-up and the measured time, and measures the server in the latter.
Result<FleetCost> send_and_measure(const FleetBenchOptions& options, const ServerProcess& server,
                                   const std::vector<std::string>& variants) {
  std::vector<Result<uint64_t>> sent(options.threads, uint64_t{0});
  std::vector<std::jthread> threads;
  const std::chrono::seconds warm_up(options.warm_up);
  const auto duration = warm_up + std::chrono::seconds(options.seconds);
  for (size_t i = 0; i < options.threads; ++i) {
    const size_t hosts = options.hosts / options.threads + (i < options.hosts % options.threads ? 1 : 0);
    threads.emplace_back([&, i, hosts] {
      sent[i] = send_fleet({.server = server.address().line, .host = "host" + std::to_string(i) + "x"},
                           variants, hosts, duration);
    });
  }
  std::this_thread::sleep_for(warm_up);
  const auto begin = std::chrono::steady_clock::now();
  const auto before = server.meter().cpu_time();
  std::this_thread::sleep_for(std::chrono::seconds(options.seconds));
  const auto after = server.meter().cpu_time();
  const auto resident = server.meter().resident_bytes();
  FleetCost cost;
  cost.over = std::chrono::steady_clock::now() - begin;
  threads.clear();
  if (!before || !after || !resident) return Error{ErrorCode::kIo, "the server has ended"};
  cost.cpu = *after - *before;
  cost.resident_bytes = *resident;
  for (const auto& one : sent) {
    if (!one) return one.error();
    cost.samples += *one;
  }
  return cost;
}

}  // namespace

std::string vary_lines(std::string_view lines, uint64_t variant) {
  std::mt19937_64 random(variant);
  std::string out;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const size_t blank = line.find(' ');
    double value = 0;
    const char* const end = line.data() + line.size();
    const bool is_number = blank != std::string_view::npos && !line.starts_with('%') &&
                           std::from_chars(line.data() + blank + 1, end, value).ptr == end;
    const double share = std::uniform_real_distribution<double>(0.5, 1.5)(random);
    const bool is_event = line.starts_with('*');
    if (!is_number || value == 0 || (!is_event && random() % 8 != 0)) {
      out.append(line).append("\n");
      continue;
    }
    const double other = is_event ? std::round(value * share) : value * (0.99 + share / 50);
    std::array<char, 40> text{};
    const int size = std::snprintf(text.data(), text.size(), " %.9g\n", other);
    out.append(line.substr(0, blank)).append(text.data(), static_cast<size_t>(size));
  }
  return out;
}

Result<std::vector<Measurement>> run_fleet(const FleetBenchOptions& options,
                                           const std::filesystem::path& programs) {
  const auto lines = host_lines(programs);
  if (!lines) return lines.error();
  std::vector<std::string> variants;
  for (size_t i = 0; i < kVariants; ++i) variants.push_back(vary_lines(*lines, i));
  const auto longest = std::ranges::max(variants, {}, &std::string::size).size();
  if (longest > kBatchTextBytesMax)
    return Error{ErrorCode::kLimit, "this host has more series than a batch can have lines"};
  const auto each = static_cast<uint64_t>(std::count(lines->begin(), lines->end(), '\n'));
  auto server =
      ServerProcess::start({.program = programs / "statmilld",
                            .options = {"--agent.connections", "100000", "--agent.per_address", "100000",
                                        "--limits.series", "20000000", "--limits.name_bytes", "16G"},
                            .listener = "agent"});
  if (!server) return server.error();
  std::fprintf(stderr, "fleet: %zu hosts with %llu series, %zu s and %zu s\n", options.hosts,
               static_cast<unsigned long long>(each), options.warm_up, options.seconds);
  const auto cost = send_and_measure(options, *server, variants);
  if (!cost) return cost.error();
  const auto counts = server->wait_for_received("agent", cost->samples, kStallLimit);
  if (!counts) return counts.error();
  if (counts->accepted != cost->samples)
    return Error{ErrorCode::kIo, "of " + std::to_string(cost->samples) + " samples the server accepted " +
                                     std::to_string(counts->accepted)};
  const double seconds = std::chrono::duration<double>(cost->over).count();
  const double wanted = static_cast<double>(each * options.hosts * (options.warm_up + options.seconds));
  return std::vector<Measurement>{
      {"fleet.series", static_cast<double>(each * options.hosts), "series", each * options.hosts},
      {"fleet.cpu_percent", 100 * std::chrono::duration<double>(cost->cpu).count() / seconds, "percent",
       options.seconds},
      {"fleet.resident_mb", static_cast<double>(cost->resident_bytes) / 1e6, "MB", each * options.hosts},
      {"fleet.sent_percent", 100 * static_cast<double>(cost->samples) / wanted, "percent", cost->samples}};
}

po::options_description describe_fleet() {
  po::options_description out("fleet; takes three minutes", kHelpWidth);
  out.add_options()                                                                               //
      ("hosts", text_value("COUNT")->default_value("200"), "hosts that send what this one does")  //
      ("warmup", text_value("COUNT")->default_value("60"), "seconds before the measurement")      //
      ("seconds", text_value("COUNT")->default_value("120"), "seconds that are measured")         //
      ("threads", text_value("COUNT")->default_value("1"), "threads that send");
  return out;
}

Result<FleetBenchOptions> fleet_options(const po::variables_map& values) {
  FleetBenchOptions out;
  const auto read = [&values](const char* option, int64_t max, size_t& value) -> Status {
    const Result<size_t> number = count(values, option, {.max = max});
    if (!number) return number.error();
    value = *number;
    return Status::ok();
  };
  if (Status s = read("hosts", 50'000, out.hosts); !s) return s.error();
  if (Status s = read("warmup", 86'400, out.warm_up); !s) return s.error();
  if (Status s = read("seconds", 86'400, out.seconds); !s) return s.error();
  if (Status s = read("threads", 64, out.threads); !s) return s.error();
  if (out.threads > out.hosts) return Error{ErrorCode::kInvalid, "--threads: more threads than hosts"};
  return out;
}

}  // namespace statmill
