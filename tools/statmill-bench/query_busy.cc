// The measures small_busy and ingest_busy: what heavy queries, ingest and compactions do to small queries,
// and heavy queries to ingest.
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tools/statmill-bench/background_work.h"
#include "tools/statmill-bench/ingest_measures.h"
#include "tools/statmill-bench/open_loop.h"
#include "tools/statmill-bench/query_measures.h"
#include "tools/statmill-bench/query_ranges.h"
#include "tools/statmill-bench/sender.h"

namespace statmill {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr size_t kQueriedSeries = 100;
constexpr size_t kIngestedSeries = 100'000;

// A server with a day of some series, and with the series of the lines. It flushes and rolls up by its
// defaults.
struct BusyServer {
  ServerProcess server;
  AskedQuery heavy;
  AskedQuery small;
  Replay replay;
};

Result<BusyServer> start_busy_server(const QueryContext& context) {
  constexpr size_t kHeldPasses = 10;
  constexpr size_t kHeldBytesMax = size_t{256} << 20;
  const double scale = context.options.scale;
  auto server =
      ServerProcess::start({.program = context.server_program, .parent = context.options.directory});
  if (!server) return server.error();
  const QueryData data = day_of(context, Kind::kGauge, scaled(kQueriedSeries, scale, 1));
  if (Status s = send_samples(*server, data); !s) return s.error();
  const size_t series = scaled(kIngestedSeries, scale, kSeriesPerHost);
  Replay replay = make_replay({.series = series, .passes = kHeldPasses}, kHeldBytesMax);
  const auto made = send({.server = server->address().line}, replay.streams, {.count = 1});
  if (!made) return made.error();
  if (Status s = server->wait_until_durable(); !s) return s.error();
  if (Status s = server->flush(); !s) return s.error();
  auto connection = HttpConnection::open(server->http());
  if (!connection) return connection.error();
  const auto ask = [&](const QueryFigure& figure) {
    return ask_first(*connection, {target_of(figure, kStatmillApi), figure.want, figure.tolerance});
  };
  auto heavy = ask(average_figure("heavy", "avg(load)", data, kQuerySlot_s));
  if (!heavy) return heavy.error();
  auto small = ask(small_figure(data));
  if (!small) return small.error();
  return BusyServer{*std::move(server), *std::move(heavy), *std::move(small), std::move(replay)};
}

// The work that the server and this process have done so far.
struct WorkDone {
  steady_clock::time_point at;
  nanoseconds server_cpu{};
  nanoseconds own_cpu{};
  ListenerCounts lines;
  BackgroundCounts background;
};

nanoseconds own_cpu_time() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto time_of = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return time_of(usage.ru_utime) + time_of(usage.ru_stime);
}

Result<WorkDone> work_done(const ServerProcess& server, const BackgroundWork* queries) {
  const auto lines = server.counts("tcp");
  if (!lines) return lines.error();
  const auto cpu = server.meter().cpu_time();
  if (!cpu) return cpu.error();
  return WorkDone{steady_clock::now(), *cpu, own_cpu_time(), *lines,
                  queries == nullptr ? BackgroundCounts{} : queries->counts()};
}

// The sums over some parts of a run.
struct Rates {
  double seconds = 0;
  double server_cpu_s = 0;
  double own_cpu_s = 0;
  uint64_t samples = 0;
  uint64_t queries = 0;
  uint64_t compactions = 0;

  // Returns the samples per second of this part.
  double add(const WorkDone& from, const WorkDone& to) {
    const auto in_seconds = [](nanoseconds t) { return std::chrono::duration<double>(t).count(); };
    const double taken = in_seconds(to.at - from.at);
    const uint64_t received = to.lines.since(from.lines).received;
    seconds += taken;
    server_cpu_s += in_seconds(to.server_cpu - from.server_cpu);
    own_cpu_s += in_seconds(to.own_cpu - from.own_cpu);
    samples += received;
    queries += to.background.queries - from.background.queries;
    compactions += to.background.compactions - from.background.compactions;
    return static_cast<double>(received) / taken;
  }
  Measurement per_s(std::string name, uint64_t n) const {
    return {std::move(name), static_cast<double>(n) / seconds, "1/s", n};
  }
  // How many processors the server and this process used.
  std::vector<Measurement> processors(const std::string& prefix) const {
    return {{prefix + "server_cpus", server_cpu_s / seconds, "CPUs", queries},
            {prefix + "generator_cpus", own_cpu_s / seconds, "CPUs", queries}};
  }
};

std::string short_text(double number) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3g", number);
  return text.data();
}

Status check_account(const ServerProcess& server) {
  const auto counts = server.counts("tcp");
  if (!counts) return counts.error();
  if (counts->holds() && counts->refused == 0) return Status::ok();
  return Error{ErrorCode::kCorrupt, std::to_string(counts->refused) + " samples were refused"};
}

void append(OpenLoopTimes& all, const OpenLoopTimes& more) {
  all.answered_ms.insert(all.answered_ms.end(), more.answered_ms.begin(), more.answered_ms.end());
  all.late_ms.insert(all.late_ms.end(), more.late_ms.begin(), more.late_ms.end());
}

std::vector<Measurement> latencies(const std::string& prefix, const OpenLoopTimes& times) {
  const size_t n = times.answered_ms.size();
  return {{prefix + "_ms", percentile(times.answered_ms, 50), "ms", n},
          {prefix + "_p99_ms", percentile(times.answered_ms, 99), "ms", n},
          {prefix + "_p999_ms", percentile(times.answered_ms, 99.9), "ms", n},
          {prefix + "_late_p99_ms", percentile(times.late_ms, 99), "ms", n}};
}

struct SmallTimes {
  OpenLoopTimes idle;
  OpenLoopTimes busy;
  Rates rates;  // while it was busy
};

// Asks the idle server, then the busy one.
Status ask_in_turn(BusyServer& of, const OpenLoopOptions& options, SmallTimes& times) {
  constexpr std::chrono::milliseconds kIdleWindow{500};
  constexpr std::chrono::seconds kIdleLimit{60};
  if (const auto rest = of.server.meter().wait_until_idle(kIdleWindow, kIdleLimit); !rest)
    return rest.error();
  const auto idle = run_open_loop(options);
  if (!idle) return idle.error();
  BackgroundWork work(
      {.server = of.server, .heavy = &of.heavy, .streams = &of.replay.streams, .compacts = true});
  if (Status s = work.wait_until_running(); !s) return s;
  const auto before = work_done(of.server, &work);
  if (!before) return before.error();
  const auto busy = run_open_loop(options);
  const auto after = work_done(of.server, &work);
  if (Status s = work.stop(); !s) return s;
  if (!busy) return busy.error();
  if (!after) return after.error();
  times.rates.add(*before, *after);
  append(times.idle, *idle);
  append(times.busy, *busy);
  say_query("small_busy", "p99 " + short_text(percentile(idle->answered_ms, 99)) + " ms idle, " +
                              short_text(percentile(busy->answered_ms, 99)) + " ms busy");
  return Status::ok();
}

struct IngestRates {
  std::vector<double> alone_per_s;
  std::vector<double> busy_per_s;
  Rates alone;
  Rates busy;
};

// Measures ingest for a while alone, then while heavy queries run.
Status ingest_in_turn(BusyServer& of, std::chrono::milliseconds each, IngestRates& rates) {
  const auto first = work_done(of.server, nullptr);
  if (!first) return first.error();
  std::this_thread::sleep_for(each);
  const auto alone = work_done(of.server, nullptr);
  if (!alone) return alone.error();
  BackgroundWork queries({.server = of.server, .heavy = &of.heavy});
  if (Status s = queries.wait_until_running(); !s) return s;
  const auto before = work_done(of.server, &queries);
  if (!before) return before.error();
  std::this_thread::sleep_for(each);
  const auto after = work_done(of.server, &queries);
  if (Status s = queries.stop(); !s) return s;
  if (!after) return after.error();
  rates.alone_per_s.push_back(rates.alone.add(*first, *alone));
  rates.busy_per_s.push_back(rates.busy.add(*before, *after));
  say_query("ingest_busy", short_text(rates.alone_per_s.back()) + " samples/s alone, " +
                               short_text(rates.busy_per_s.back()) + " with heavy queries");
  return Status::ok();
}

}  // namespace

Measured measure_small_busy(const QueryContext& context) {
  constexpr size_t kTurns = 4;
  constexpr double kPerSecond = 250;
  constexpr size_t kRequestsPerRun = 5;  // and turn
  auto of = start_busy_server(context);
  if (!of) return of.error();
  const size_t requests = context.options.runs * kRequestsPerRun;
  say_query("small_busy", std::to_string(kTurns) + " x " + std::to_string(requests) + " requests at " +
                              short_text(kPerSecond) + "/s, idle and busy in turn");
  const OpenLoopOptions options{
      .server = of->server.http(), .asked = of->small, .per_s = kPerSecond, .requests = requests};
  SmallTimes times;
  for (size_t turn = 0; turn < kTurns; ++turn) {
    if (Status s = ask_in_turn(*of, options, times); !s) return s.error();
  }
  if (Status s = check_account(of->server); !s) return s.error();
  const std::string prefix = "query.small_busy.";
  std::vector<Measurement> out = latencies(prefix + "idle", times.idle);
  const std::vector<Measurement> busy = latencies(prefix + "busy", times.busy);
  const auto ratio = [&](const char* name, size_t at) {
    return Measurement{prefix + name, busy[at].value / out[at].value, "1", busy[at].n};
  };
  const std::vector<Measurement> ratios = {ratio("p99_ratio", 1), ratio("p999_ratio", 2)};
  const Rates& rates = times.rates;
  out.insert(out.end(), busy.begin(), busy.end());
  out.insert(out.end(), ratios.begin(), ratios.end());
  out.push_back(rates.per_s(prefix + "heavy_per_s", rates.queries));
  out.push_back(rates.per_s(prefix + "ingest_per_s", rates.samples));
  out.push_back(rates.per_s(prefix + "compactions_per_s", rates.compactions));
  const std::vector<Measurement> processors = rates.processors(prefix);
  out.insert(out.end(), processors.begin(), processors.end());
  return out;
}

Measured measure_ingest_busy(const QueryContext& context) {
  constexpr size_t kTurns = 5;
  constexpr std::chrono::milliseconds kTimePerRun{15};  // and part of a turn
  auto of = start_busy_server(context);
  if (!of) return of.error();
  const auto each = kTimePerRun * context.options.runs;
  say_query("ingest_busy", std::to_string(kTurns) + " x " + std::to_string(each.count()) +
                               " ms of ingest, alone and with heavy queries in turn");
  BackgroundWork ingest({.server = of->server, .streams = &of->replay.streams});
  if (Status s = ingest.wait_until_running(); !s) return s.error();
  IngestRates rates;
  for (size_t turn = 0; turn < kTurns; ++turn) {
    if (Status s = ingest_in_turn(*of, each, rates); !s) return s.error();
  }
  if (Status s = ingest.stop(); !s) return s.error();
  if (Status s = check_account(of->server); !s) return s.error();
  const std::string prefix = "query.ingest_busy.";
  const double alone_per_s = percentile(rates.alone_per_s, 50);
  const double busy_per_s = percentile(rates.busy_per_s, 50);
  std::vector<Measurement> out = {{prefix + "alone_per_s", alone_per_s, "1/s", rates.alone.samples},
                                  {prefix + "busy_per_s", busy_per_s, "1/s", rates.busy.samples},
                                  {prefix + "share", busy_per_s / alone_per_s, "1", rates.busy.samples},
                                  rates.busy.per_s(prefix + "heavy_per_s", rates.busy.queries)};
  const std::vector<Measurement> processors = rates.busy.processors(prefix);
  out.insert(out.end(), processors.begin(), processors.end());
  return out;
}

}  // namespace statmill
