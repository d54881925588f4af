#include "tools/statmill-bench/relay_suite.h"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "tools/statmill-bench/measures.h"
#include "tools/statmill-bench/sender.h"
#include "tools/statmill-bench/suites.h"
#include "tools/statmill-bench/verify.h"

namespace statmill {
namespace {

struct RelayContext {
  const RelayBenchOptions& options;
  const std::filesystem::path& programs;
};

struct RelayPath {
  std::string name;    // "passed_on.tcp"
  std::string prefix;  // the prefix of its figures: "passed_on_"
  Transport transport;
  std::string aggregate;
};

std::vector<RelayPath> relay_paths() {
  return {{"tcp", "", Transport::kTcp, "1s"},
          {"udp", "udp_", Transport::kUdp, "1s"},
          {"passed_on.tcp", "passed_on_", Transport::kTcp, "0s"},
          {"passed_on.udp", "passed_on_udp_", Transport::kUdp, "0s"}};
}

// Checks that the server has every sample, after it has received this many lines.
Status verify(const ServerProcess& server, const SentTotals& sent, double lines) {
  const auto settled = server.wait_for_received("agent", static_cast<uint64_t>(lines), kStallLimit);
  if (!settled) return settled.error();
  if (Status s = server.wait_until_durable(); !s) return s;
  const Result<size_t> verified = verify_stored(server, sent, false);
  return verified ? Status::ok() : Status(verified.error());
}

Measured measure_relay(const RelayPath& path, const RelayContext& context) {
  constexpr size_t kHeldBytesMax = size_t{128} << 20;
  constexpr std::chrono::milliseconds kRest{1500};  // longer than one hand-over
  constexpr std::chrono::seconds kBusyLimit{60};
  const size_t series = context.options.series;
  const size_t passes = std::max<size_t>(2, context.options.samples / series);
  std::fprintf(stderr, "relay: %s: %zu series x %zu passes, %llu samples/s\n", path.name.c_str(), series,
               passes, static_cast<unsigned long long>(context.options.rate));
  auto server = ServerProcess::start({.program = context.programs / "statmilld", .listener = "agent"});
  if (!server) return server.error();
  // A single collection, so that the figures are the relay's alone. The queue has room for all that is not
  // yet acknowledged: at this rate more than 4 MiB pass between two ticks of the server.
  const std::vector<std::string> agent_options = {"--server",          server->address().line.text(),
                                                  "--relay.aggregate", path.aggregate,
                                                  "--queue.bytes",     "256M",
                                                  "--collectors",      "load",
                                                  "--interval",        "1h"};
  auto agent = ServerProcess::start({.program = context.programs / "statmill-agent",
                                     .options = agent_options,
                                     .kind = ServerCommand::Kind::kAgent});
  if (!agent) return agent.error();
  Replay replay = make_replay({.series = series, .passes = passes}, kHeldBytesMax);
  const int64_t begin_s = unix_seconds(SystemClock().wall());
  const auto cpu_before = agent->meter().cpu_time();
  if (!cpu_before) return cpu_before.error();
  const auto sent =
      send({.server = agent->address().line, .transport = path.transport, .rate = context.options.rate},
           replay.streams, {0, passes});
  if (!sent) return sent.error();
  const std::string listener = path.transport == Transport::kTcp ? "tcp" : "udp";
  const auto counts = agent->wait_for_received(listener, sent->samples, kStallLimit);
  if (!counts) return counts.error();
  if (counts->accepted != sent->samples)
    return Error{ErrorCode::kCorrupt, std::to_string(counts->accepted) + " samples accepted of " +
                                          std::to_string(sent->samples) + " sent"};
  if (const auto rest = agent->meter().wait_until_idle(kRest, kBusyLimit); !rest) return rest.error();
  const auto cpu = agent->meter().cpu_time();
  const auto rss = agent->meter().resident_bytes();
  if (!cpu || !rss) return cpu ? rss.error() : cpu.error();
  const auto lines = agent->metric("statmill_relay_lines_total");
  if (!lines) return lines.error();
  agent->stop(SIGTERM);
  const SentTotals totals{passes, std::move(replay.totals), begin_s - kTimeMarginS,
                          unix_seconds(SystemClock().wall()) + kTimeMarginS};
  if (Status s = verify(*server, totals, *lines); !s) return s.error();
  const double cpu_us = std::chrono::duration<double, std::micro>(*cpu - *cpu_before).count();
  const std::string prefix = "relay." + path.prefix;
  return std::vector<Measurement>{
      {prefix + "cpu_us_per_sample", cpu_us / static_cast<double>(sent->samples), "us", sent->samples},
      {prefix + "rss", static_cast<double>(*rss), "B", series}};
}

std::vector<Measure<RelayContext>> make_relay_measures() {
  std::vector<Measure<RelayContext>> out;
  for (const RelayPath& path : relay_paths())
    out.push_back({path.name, [path](const RelayContext& context) { return measure_relay(path, context); }});
  return out;
}

}  // namespace

po::options_description describe_relay() {
  po::options_description out("relay; all measures take a minute", kHelpWidth);
  const std::string only = "runs only these measures: " + joined(relay_measures());
  out.add_options()                                   //
      ("only", text_value("NAME,..."), only.c_str())  //
      ("series", text_value("COUNT")->default_value("10000"), "number of series, 100 per host")(
          "samples", text_value("COUNT")->default_value("5000000"), "number of samples per measure")  //
      ("rate", text_value("COUNT")->default_value("500000"), "samples per second");
  return out;
}

Result<RelayBenchOptions> relay_options(const po::variables_map& values) {
  auto only = measures_asked(values, relay_measures());
  if (!only) return only.error();
  const Result<size_t> series = count(values, "series", {.max = 10'000'000});
  if (!series) return series.error();
  const Result<size_t> samples = count(values, "samples", {.max = 10'000'000'000});
  if (!samples) return samples.error();
  const Result<size_t> rate = count(values, "rate", {.max = 100'000'000});
  if (!rate) return rate.error();
  return RelayBenchOptions{.only = std::move(*only), .series = *series, .samples = *samples, .rate = *rate};
}

std::vector<std::string> relay_measures() { return names_of(make_relay_measures()); }

Result<std::vector<Measurement>> run_relay(const RelayBenchOptions& options,
                                           const std::filesystem::path& programs) {
  return run_measures(make_relay_measures(), options.only, RelayContext{options, programs});
}

}  // namespace statmill
