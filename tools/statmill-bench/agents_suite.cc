#include "tools/statmill-bench/agents_suite.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "base/net/tls_context.h"
#include "tools/statmill-bench/agents_sender.h"
#include "tools/statmill-bench/measures.h"
#include "tools/statmill-bench/suites.h"
#include "tools/statmill-bench/verify.h"
#include "tools/statmill-bench/workload.h"

namespace statmill {
namespace {

constexpr size_t kUnacknowledgedMax = 512;  // about 24 MiB: the agent never waits for acknowledgments
constexpr uint64_t kLatencyShare = 8;       // the fraction of the samples that `latency` sends

using Nanoseconds = std::chrono::nanoseconds;

struct AgentsContext {
  const AgentsBenchOptions& options;
  const std::filesystem::path& programs;
};

struct Run {
  uint64_t samples = 0;
  Nanoseconds took{};
  Nanoseconds cpu{};                   // of the server
  std::vector<Nanoseconds> latencies;  // ascending
};

// Runs all agents at once, each with lines of its own.
Result<Run> send_all(const std::vector<Stream>& streams, const AgentLoad& load) {
  std::vector<Result<Acknowledged>> results(streams.size(), Acknowledged{});
  const auto begin = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < streams.size(); ++i) {
      threads.emplace_back([&, i] {
        AgentLoad own = load;
        own.host = "bench" + std::to_string(i);
        results[i] = send_acknowledged(own, streams[i].bytes);
      });
    }
  }
  Run run;
  run.took = std::chrono::steady_clock::now() - begin;
  for (const Result<Acknowledged>& result : results) {
    if (!result) return result.error();
    run.samples += result->samples;
    run.latencies.insert(run.latencies.end(), result->latencies.begin(), result->latencies.end());
  }
  std::sort(run.latencies.begin(), run.latencies.end());
  return run;
}

std::vector<std::string> tls_options(const AgentsBenchOptions& options) {
  return {"--agent.certificate", options.certificate, "--agent.key", options.key};
}

// Sends the same lines repeatedly, so that buckets hold many samples, like those of live series.
Result<Run> measure_sending(const AgentsContext& context, uint64_t samples, uint64_t rate,
                            std::shared_ptr<TlsContext> tls = nullptr) {
  const AgentsBenchOptions& options = context.options;
  const size_t passes = std::max<size_t>(2, samples / options.series);
  std::fprintf(stderr, "agents: %zu agents, %zu series x %zu passes, %llu samples/s\n", options.agents,
               options.series, passes, static_cast<unsigned long long>(rate));
  auto server = ServerProcess::start({.program = context.programs / "statmilld",
                                      .options = tls ? tls_options(options) : std::vector<std::string>(),
                                      .listener = "agent"});
  if (!server) return server.error();
  const int64_t begin_s = unix_seconds(SystemClock().wall());
  Workload workload({.series = options.series, .connections = options.agents, .first_time_s = begin_s});
  const std::vector<Stream> streams = workload.next(1);
  const auto before = server->meter().cpu_time();
  auto run = send_all(streams, {.server = server->address().line,
                                .host = {},
                                .unacknowledged_max = kUnacknowledgedMax,
                                .passes = passes,
                                .rate = static_cast<double>(rate) / static_cast<double>(options.agents),
                                .tls = std::move(tls)});
  if (!run) return run.error();
  const auto after = server->meter().cpu_time();
  if (!before || !after) return before ? after.error() : before.error();
  run->cpu = *after - *before;
  SentTotals totals{passes, workload.last_values(), begin_s - kTimeMarginS,
                    unix_seconds(SystemClock().wall()) + kTimeMarginS};
  for (int64_t& total : totals.hundredths) total *= static_cast<int64_t>(passes);
  const Result<size_t> verified = verify_stored(*server, totals, false);
  if (!verified) return verified.error();
  return run;
}

Measured measure_throughput(const AgentsContext& context) {
  const auto run = measure_sending(context, context.options.samples, 0);
  if (!run) return run.error();
  const double cpu_us = std::chrono::duration<double, std::micro>(run->cpu).count();
  const auto samples = static_cast<double>(run->samples);
  return std::vector<Measurement>{
      {"agents.server_us_per_sample", cpu_us / samples, "us", run->samples},
      {"agents.acknowledged_per_second", samples / std::chrono::duration<double>(run->took).count(), "1/s",
       run->samples}};
}

bool is_left_out(const AgentsBenchOptions& options, const char* measure) {
  if (!options.certificate.empty()) return false;
  std::fprintf(stderr, "agents: %s skipped: it needs --certificate and --key\n", measure);
  return true;
}

Measured measure_throughput_tls(const AgentsContext& context) {
  if (is_left_out(context.options, "throughput_tls")) return std::vector<Measurement>();
  const auto tls = client_tls(context.options.certificate);
  if (!tls) return tls.error();
  const auto run = measure_sending(context, context.options.samples, 0, *tls);
  if (!run) return run.error();
  const double cpu_us = std::chrono::duration<double, std::micro>(run->cpu).count();
  return std::vector<Measurement>{
      {"agents.tls_server_us_per_sample", cpu_us / static_cast<double>(run->samples), "us", run->samples}};
}

// All agents come back at once, each with one batch.
Measured measure_reconnect(const AgentsContext& context) {
  if (is_left_out(context.options, "reconnect")) return std::vector<Measurement>();
  const auto tls = client_tls(context.options.certificate);
  if (!tls) return tls.error();
  std::vector<std::string> options = tls_options(context.options);
  options.insert(options.end(), {"--agent.new_per_minute", "0", "--agent.connections", "100000",
                                 "--agent.per_address", "100000"});
  auto server = ServerProcess::start(
      {.program = context.programs / "statmilld", .options = std::move(options), .listener = "agent"});
  if (!server) return server.error();
  const size_t threads = std::max<size_t>(context.options.agents, 1);
  const size_t each = std::max<size_t>(context.options.reconnects / threads, 1);
  std::vector<Result<std::vector<Nanoseconds>>> results(threads, std::vector<Nanoseconds>());
  const auto before = server->meter().cpu_time();
  {
    std::vector<std::jthread> running;
    for (size_t i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        results[i] = connect_agents(
            {.server = server->address().line, .host = "bench" + std::to_string(i) + "_", .tls = *tls},
            "*bench.back 1\n", each);
      });
    }
  }
  const auto after = server->meter().cpu_time();
  if (!before || !after) return before ? after.error() : before.error();
  Nanoseconds last{};
  for (const auto& result : results) {
    if (!result) return result.error();
    last = std::max(last, *std::ranges::max_element(*result));
  }
  const size_t count = threads * each;
  const double cpu_us = std::chrono::duration<double, std::micro>(*after - *before).count();
  return std::vector<Measurement>{
      {"agents.reconnect_s_p100", std::chrono::duration<double>(last).count(), "s", count},
      {"agents.reconnect_server_us", cpu_us / static_cast<double>(count), "us", count}};
}

Measured measure_latency(const AgentsContext& context) {
  const auto run = measure_sending(context, context.options.samples / kLatencyShare, context.options.rate);
  if (!run) return run.error();
  const size_t count = run->latencies.size();
  const auto at = [&](size_t percent) {
    return std::chrono::duration<double, std::milli>(run->latencies[(count - 1) * percent / 100]).count();
  };
  return std::vector<Measurement>{{"agents.ack_ms_p50", at(50), "ms", count},
                                  {"agents.ack_ms_p99", at(99), "ms", count}};
}

std::vector<Measure<AgentsContext>> make_agents_measures() {
  return {{"throughput", measure_throughput},
          {"latency", measure_latency},
          {"recovery", [](const AgentsContext& c) { return measure_spool_recovery(c.options, c.programs); }},
          {"throughput_tls", measure_throughput_tls},
          {"reconnect", measure_reconnect}};
}

}  // namespace

po::options_description describe_agents() {
  po::options_description out("agents; all measures take a minute", kHelpWidth);
  const std::string only = "runs only these measures: " + joined(agents_measures());
  out.add_options()                                                                                        //
      ("only", text_value("NAME,..."), only.c_str())                                                       //
      ("agents", text_value("COUNT")->default_value("4"), "number of agents, connected at the same time")  //
      ("series", text_value("COUNT")->default_value("10000"), "number of series, 100 per host")            //
      ("samples", text_value("COUNT")->default_value("20000000"),
       "number of samples for throughput; latency sends an eighth")                                       //
      ("rate", text_value("COUNT")->default_value("200000"), "samples per second, for latency")           //
      ("spool", text_value("BYTES")->default_value("1073741824"), "size of the spool that is recovered")  //
      ("reconnects", text_value("COUNT")->default_value("10000"), "agents that come back at once")        //
      ("certificate", text_value("FILE")->default_value(""),
       "PEM certificate for 127.0.0.1, for throughput_tls and reconnect; empty: these are left out")  //
      ("key", text_value("FILE")->default_value(""), "its private key, PEM");
  return out;
}

Result<AgentsBenchOptions> agents_options(const po::variables_map& values) {
  auto only = measures_asked(values, agents_measures());
  if (!only) return only.error();
  AgentsBenchOptions out{.only = std::move(*only)};
  const auto read = [&values](const char* option, int64_t max, auto& value) -> Status {
    const Result<size_t> number = count(values, option, {.max = max});
    if (!number) return number.error();
    value = *number;
    return Status::ok();
  };
  if (Status s = read("agents", 1000, out.agents); !s) return s.error();
  if (Status s = read("series", 10'000'000, out.series); !s) return s.error();
  if (Status s = read("samples", 10'000'000'000, out.samples); !s) return s.error();
  if (Status s = read("rate", 100'000'000, out.rate); !s) return s.error();
  if (Status s = read("spool", int64_t{1} << 40, out.spool_bytes); !s) return s.error();
  if (Status s = read("reconnects", 1'000'000, out.reconnects); !s) return s.error();
  out.certificate = values["certificate"].as<std::string>();
  out.key = values["key"].as<std::string>();
  return out;
}

std::vector<std::string> agents_measures() { return names_of(make_agents_measures()); }

Result<std::vector<Measurement>> run_agents(const AgentsBenchOptions& options,
                                            const std::filesystem::path& programs) {
  return run_measures(make_agents_measures(), options.only, AgentsContext{options, programs});
}

}  // namespace statmill
