// The kernel measures the programs (BPF_ENABLE_STATS), which costs more than the programs themselves. An
// empty program at the same hook in the same run shows how much. The cost that a program causes elsewhere
// (caches, the call itself) shows only in the ping-pong, with and without the agent.
#include "tools/statmill-bench/bpf_suite.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <thread>

#include "tools/statmill-bench/bpf_agent.h"
#include "tools/statmill-bench/bpf_loads.h"
#include "tools/statmill-bench/bpf_programs.h"
#include "tools/statmill-bench/suites.h"

namespace statmill {
namespace {

// One figure: the agent's programs and the empty ones at the same hooks, under a load.
struct Probe {
  std::string name;
  std::vector<std::string> programs;
  std::vector<std::string> empty;
  std::function<Status(uint64_t operations)> load;
};

std::vector<Probe> probes() {
  const auto ping = [](uint64_t operations) {
    const Result<double> took = ping_pong(operations);
    return took ? Status::ok() : Status(took.error());
  };
  // A disk is slow, so fewer reads have to do.
  const auto read = [](uint64_t operations) {
    return read_from_disk(std::max<uint64_t>(operations / 50, 4));
  };
  return {
      {"bpf.sched.ns_per_event", {"sched_switch"}, {"empty_switch"}, ping},
      {"bpf.block.ns_per_event", {"block_complete"}, {"empty_block"}, read},
      {"bpf.net.ns_per_event", {"net_receive", "net_send"}, {"empty_receive", "empty_send"}, send_datagrams},
      {"bpf.tcp.ns_per_event",
       {"tcp_send", "tcp_receive"},
       {"empty_tcp_send", "empty_tcp_recv"},
       exchange_over_tcp},
      {"bpf.softirq.ns_per_event",
       {"softirq_entry", "softirq_exit"},
       {"empty_sirq_in", "empty_sirq_out"},
       send_datagrams},
  };
}

BpfRuns sum_of(const BpfRunsByName& runs, const std::vector<std::string>& names) {
  BpfRuns sum;
  for (const std::string& name : names) {
    const auto place = runs.find(name);
    if (place == runs.end()) continue;
    sum.count += place->second.count;
    sum.ns += place->second.ns;
  }
  return sum;
}

double ns_each(const BpfRuns& runs) {
  return runs.count == 0 ? 0 : static_cast<double>(runs.ns) / static_cast<double>(runs.count);
}

// The runs of the programs of one process that a load causes.
struct BpfReading {
  BpfRunsByName agent;
  BpfRunsByName empty;
};
Result<BpfReading> read_runs(const BpfAgent& agent) {
  Result<BpfRunsByName> of_agent = bpf_runs_of(agent.pid());
  if (!of_agent) return of_agent.error();
  Result<BpfRunsByName> of_empty = bpf_runs_of(::getpid());
  if (!of_empty) return of_empty.error();
  return BpfReading{std::move(*of_agent), std::move(*of_empty)};
}

// Each load is cut into this many pieces, and the median is reported, because other programs may use the
// machine.
constexpr uint64_t kPieces = 16;

struct Piece {
  double ns = 0;  // per event, less the cost of an empty program
  uint64_t events = 0;
};

Result<Piece> measure_piece(const Probe& probe, uint64_t operations, const BpfAgent& agent) {
  const Result<BpfReading> before = read_runs(agent);
  if (!before) return before.error();
  if (const Status done = probe.load(operations); !done) return done.error();
  const Result<BpfReading> after = read_runs(agent);
  if (!after) return after.error();
  const BpfRuns own = sum_of(after->agent, probe.programs).since(sum_of(before->agent, probe.programs));
  const BpfRuns empty = sum_of(after->empty, probe.empty).since(sum_of(before->empty, probe.empty));
  if (own.count == 0 || empty.count == 0) return Error{ErrorCode::kUnavailable, "not attached"};
  return Piece{std::max(0.0, ns_each(own) - ns_each(empty)), own.count};
}

Result<Measurement> measure_probe(const Probe& probe, const BpfOptions& options, const BpfAgent& agent) {
  std::vector<double> each;
  uint64_t events = 0;
  for (uint64_t i = 0; i < kPieces; ++i) {
    const Result<Piece> piece =
        measure_piece(probe, std::max<uint64_t>(options.operations / kPieces, 20), agent);
    if (!piece) return piece.error();
    each.push_back(piece->ns);
    events += piece->events;
  }
  return Measurement{probe.name, percentile(std::move(each), 50), "ns", events};
}

Result<std::vector<Measurement>> measure_programs(const BpfOptions& options, const BpfAgent& agent) {
  const auto measuring = begin_bpf_measuring();
  if (!measuring) return measuring.error();
  std::vector<Measurement> out;
  for (const Probe& probe : probes()) {
    const Result<Measurement> measured = measure_probe(probe, options, agent);
    if (measured) {
      out.push_back(*measured);
    } else {
      std::fprintf(stderr, "%s: %s\n", probe.name.c_str(), measured.error().message.c_str());
    }
  }
  return out;
}

Result<std::vector<Measurement>> measure_idle(const BpfOptions& options, const BpfAgent& agent) {
  // The agent's first second is not idle, because it has just loaded everything.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const Result<std::chrono::nanoseconds> before = agent.meter().cpu_time();
  if (!before) return before.error();
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::seconds(options.idle_s));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  const Result<std::chrono::nanoseconds> after = agent.meter().cpu_time();
  if (!after) return after.error();
  const Result<uint64_t> resident = agent.meter().resident_bytes();
  if (!resident) return resident.error();
  const Result<uint64_t> maps = bpf_map_bytes_of(agent.pid());
  if (!maps) return maps.error();
  const std::chrono::duration<double> used = *after - *before;
  constexpr double kMega = 1e6;
  return std::vector<Measurement>{
      {"agent.idle_cpu_percent", 100 * (used / passed), "%", options.idle_s},
      {"agent.rss_mb", static_cast<double>(*resident) / kMega, "MB", 1},
      {"agent.bpf_maps_mb", static_cast<double>(*maps) / kMega, "MB", std::thread::hardware_concurrency()}};
}

// Alternates between runs with and without the agent, so that a slow minute of the machine affects both.
Result<Measurement> measure_ping_pong(const BpfOptions& options, const std::filesystem::path& program) {
  std::vector<double> without;
  std::vector<double> with;
  for (size_t run = 0; run < options.runs; ++run) {
    const Result<double> alone = ping_pong(options.operations);
    if (!alone) return alone.error();
    without.push_back(*alone);
    const auto agent = BpfAgent::start(program, "default");
    if (!agent) return agent.error();
    const Result<double> together = ping_pong(options.operations);
    if (!together) return together.error();
    with.push_back(*together);
  }
  return Measurement{"bpf.pingpong_overhead_ratio", percentile(with, 50) / percentile(without, 50) - 1,
                     "ratio", options.operations * options.runs};
}

}  // namespace

po::options_description describe_bpf() {
  po::options_description out("bpf; needs root; all measures take a minute", kHelpWidth);
  out.add_options()                                                                                  //
      ("operations", text_value("COUNT")->default_value("200000"), "number of operations per load")  //
      ("runs", text_value("COUNT")->default_value("5"),
       "runs of the ping-pong, with and without the agent")  //
      ("idle", text_value("SECONDS")->default_value("20"), "time over which the idle agent is measured");
  return out;
}

Result<BpfOptions> bpf_options(const po::variables_map& values) {
  const Result<size_t> operations = count(values, "operations", {.min = 100, .max = 1'000'000'000});
  if (!operations) return operations.error();
  const Result<size_t> runs = count(values, "runs", {.max = 1000});
  if (!runs) return runs.error();
  const Result<size_t> idle = count(values, "idle", {.max = 3600});
  if (!idle) return idle.error();
  return BpfOptions{.operations = *operations, .runs = *runs, .idle_s = *idle};
}

Result<std::vector<Measurement>> run_bpf(const BpfOptions& options, const std::filesystem::path& programs) {
  const std::filesystem::path program = programs / "statmill-agent";
  std::vector<Measurement> out;
  {
    const auto agent = BpfAgent::start(program, "default");
    if (!agent) return agent.error();
    const auto measured = measure_programs(options, **agent);
    if (!measured) return measured.error();
    out = *measured;
    const auto idle = measure_idle(options, **agent);
    if (!idle) return idle.error();
    out.insert(out.end(), idle->begin(), idle->end());
  }
  const Result<Measurement> ping = measure_ping_pong(options, program);
  if (!ping) return ping.error();
  out.push_back(*ping);
  return out;
}

}  // namespace statmill
