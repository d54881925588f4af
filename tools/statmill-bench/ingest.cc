#include "tools/statmill-bench/ingest.h"

#include <algorithm>
#include <cstdio>

#include "tools/statmill-bench/verify.h"

namespace statmill {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

bool is_statmilld(const ServerProcess& server) { return !server.address().url.empty(); }

// Sends the lines. If the server can be queried, waits until it has received them.
class Sending {
 public:
  Sending(const ServerProcess& server, const IngestRun& run) : server_(server), run_(run) {}

  Result<Cost> run(Replay& replay, const Passes& passes) const {
    const Result<nanoseconds> cpu_before = server_.meter().cpu_time();
    if (!cpu_before) return cpu_before.error();
    Result<Cost> cost =
        is_statmilld(server_) ? send_and_settle(replay, passes) : send_and_rest(replay, passes);
    if (!cost) return cost;
    const Result<nanoseconds> cpu = server_.meter().cpu_time();
    if (!cpu) return cpu.error();
    cost->cpu = *cpu - *cpu_before;
    return cost;
  }

 private:
  static constexpr std::chrono::seconds kBusyLimit{600};  // carbon writes a file for each series

  Result<Sent> send_all(Replay& replay, const Passes& passes) const {
    constexpr uint64_t kCreatingRate = 200'000;  // samples per second: new series cost more than old ones
    SendOptions options{.server = server_.address().line, .transport = run_.transport, .rate = run_.rate};
    const bool is_creating_by_datagrams = passes.begin == 0 && run_.transport != Transport::kTcp;
    if (is_creating_by_datagrams && (options.rate == 0 || options.rate > kCreatingRate))
      options.rate = kCreatingRate;
    return send(options, replay.streams, passes);
  }

  Result<Cost> send_and_rest(Replay& replay, const Passes& passes) const {
    constexpr std::chrono::seconds kRest{2};  // some servers write their data once a second
    const auto begin = steady_clock::now();
    const Result<Sent> sent = send_all(replay, passes);
    if (!sent) return sent.error();
    Cost cost{.sent = sent->samples, .accepted = sent->samples, .elapsed = steady_clock::now() - begin};
    const Result<nanoseconds> busy = server_.meter().wait_until_idle(kRest, kBusyLimit);
    if (!busy) return busy.error();
    cost.busy = *busy;
    return cost;
  }

  Result<Cost> send_and_settle(Replay& replay, const Passes& passes) const {
    constexpr std::chrono::milliseconds kRest{600};  // more than two ticks
    const std::string listener = listener_name(run_.dialect, run_.transport);
    const Result<ListenerCounts> before = server_.counts(listener);
    if (!before) return before.error();
    const auto begin = steady_clock::now();
    const Result<Sent> sent = send_all(replay, passes);
    if (!sent) return sent.error();
    const auto counts = server_.wait_for_received(listener, before->received + sent->samples, kStallLimit);
    if (!counts) return counts.error();
    const ListenerCounts taken = counts->since(*before);
    Cost cost{.sent = sent->samples, .accepted = taken.accepted, .elapsed = steady_clock::now() - begin};
    // With losses the wait ended by stalling; that time was not spent on samples.
    if (taken.received < cost.sent) cost.elapsed -= kStallLimit;
    if (Status s = check(taken, cost.sent); !s) return s.error();

    const auto received = steady_clock::now();
    if (Status s = server_.wait_until_durable(); !s) return s.error();
    if (run_.has_times && server_.is_ours() && passes.begin != 0) {
      if (Status s = server_.flush(); !s) return s.error();
    }
    const auto waited = steady_clock::now() - received;
    const Result<nanoseconds> busy = server_.meter().wait_until_idle(kRest, kBusyLimit);
    if (!busy) return busy.error();
    cost.busy = waited + *busy;
    return cost;
  }

  // Returns true if each sample was accepted, or counted as lost.
  Status check(const ListenerCounts& taken, uint64_t sent) const {
    const auto text = [](uint64_t n) { return std::to_string(n); };
    if (!taken.holds()) {
      return Error{ErrorCode::kCorrupt, text(taken.received) + " samples received are not the " +
                                            text(taken.accepted) + " accepted and " + text(taken.refused) +
                                            " refused"};
    }
    const bool may_miss = run_.transport != Transport::kTcp && taken.dropped_datagrams > 0;
    if (taken.received > sent || (taken.received < sent && !may_miss)) {
      return Error{ErrorCode::kCorrupt, text(sent) + " samples sent, " + text(taken.received) +
                                            " received, " + text(taken.dropped_datagrams) +
                                            " datagrams dropped"};
    }
    return Status::ok();
  }

  const ServerProcess& server_;
  const IngestRun& run_;
};

double per(double total, uint64_t n) { return n == 0 ? 0 : total / static_cast<double>(n); }

double microseconds(nanoseconds t) { return static_cast<double>(t.count()) / 1e3; }

}  // namespace

std::string listener_name(LineDialect dialect, Transport transport) {
  const std::string transport_name = transport == Transport::kTcp ? "tcp" : "udp";
  switch (dialect) {
    case LineDialect::kIstatd:
    case LineDialect::kDistribution:
      return transport_name;
    case LineDialect::kGraphite:
      return "graphite_" + transport_name;
    case LineDialect::kStatsd:
      return "statsd_" + transport_name;
    case LineDialect::kInflux:
      return "influx_" + transport_name;
  }
  return {};
}

std::string run_name(const IngestRun& run) {
  std::string out = run.dialect == LineDialect::kDistribution ? "distribution_" : "";
  out += listener_name(run.dialect, run.transport);
  // The name leaves out TCP if it contains the dialect.
  if (run.dialect != LineDialect::kIstatd && run.transport == Transport::kTcp) out.resize(out.rfind('_'));
  if (run.transport == Transport::kUdpGso) out += "_gso";
  return out + (run.has_times ? ".backfill." : ".live.") + short_count(run.series) +
         (run.is_shuffled ? "_random" : "");
}

ServerCommand server_for(LineDialect dialect, std::filesystem::path program, std::filesystem::path parent) {
  ServerCommand out{.program = std::move(program), .parent = std::move(parent)};
  if (dialect == LineDialect::kIstatd || dialect == LineDialect::kDistribution) return out;
  const std::string account = listener_name(dialect, Transport::kTcp);
  out.listener = account.substr(0, account.find('_'));
  out.options = {"--" + out.listener + ".listen", "127.0.0.1:0"};
  return out;
}

Result<IngestCosts> measure_ingest(const ServerProcess& server, const IngestRun& run, Timestamp now) {
  constexpr size_t kHeldBytesMax = size_t{512} << 20;
  const size_t passes = run.passes();
  WorkloadOptions workload{.dialect = run.dialect,
                           .series = run.series,
                           .passes = passes,
                           .connections = run.connections,
                           .is_shuffled = run.is_shuffled};
  const int64_t now_s = unix_seconds(now) / kPassSeconds * kPassSeconds;
  if (run.has_times) workload.first_time_s = now_s - static_cast<int64_t>(passes) * kPassSeconds;
  Replay replay = make_replay(workload, kHeldBytesMax);

  IngestCosts out;
  const Result<uint64_t> bytes_before = server.meter().resident_bytes();
  if (!bytes_before) return bytes_before.error();
  out.resident_bytes_before = *bytes_before;
  const int64_t begin_s = unix_seconds(SystemClock().wall());
  const Sending sending(server, run);
  const Result<Cost> creating = sending.run(replay, {0, 1, workload.first_time_s});
  if (!creating) return creating.error();
  out.creating = *creating;
  const Result<Cost> rest = sending.run(replay, {1, passes - 1, workload.first_time_s});
  if (!rest) return rest.error();
  out.rest = *rest;
  const Result<uint64_t> bytes = server.meter().resident_bytes();
  if (!bytes) return bytes.error();
  out.resident_bytes = *bytes;
  if (!is_statmilld(server)) return out;

  const SentTotals sent{passes, std::move(replay.totals),
                        workload.first_time_s.value_or(begin_s - kTimeMarginS),
                        unix_seconds(SystemClock().wall()) + kTimeMarginS};
  const bool is_lossy = out.creating.accepted + out.rest.accepted < out.creating.sent + out.rest.sent;
  const Result<size_t> verified = verify_stored(server, sent, is_lossy);
  if (!verified) return verified.error();
  return out;
}

std::vector<Measurement> ingest_measurements(const std::string& name, const IngestCosts& costs) {
  const Cost& rest = costs.rest;
  const std::string prefix = "ingest." + name + ".";
  const uint64_t sent = costs.creating.sent + rest.sent;
  return {
      {prefix + "samples_per_s", static_cast<double>(rest.accepted) * 1e6 / microseconds(rest.elapsed), "1/s",
       rest.accepted},
      {prefix + "cpu_us_per_sample", per(microseconds(rest.cpu), rest.accepted), "us", rest.accepted},
      {prefix + "lost", static_cast<double>(sent - costs.creating.accepted - rest.accepted), "samples", sent},
  };
}

std::vector<Measurement> run_measurements(const IngestRun& run, const IngestCosts& costs) {
  const std::string name = run_name(run);
  std::vector<Measurement> out = ingest_measurements(name, costs);
  const std::string prefix = "ingest." + name + ".";
  const double grown =
      static_cast<double>(costs.resident_bytes) - static_cast<double>(costs.resident_bytes_before);
  out.push_back({prefix + "busy_after_s", microseconds(costs.rest.busy) / 1e6, "s", costs.rest.accepted});
  out.push_back({prefix + "cpu_us_per_new_series",
                 per(microseconds(costs.creating.cpu), costs.creating.accepted), "us",
                 costs.creating.accepted});
  out.push_back({prefix + "rss", static_cast<double>(costs.resident_bytes), "B", run.series});
  out.push_back({prefix + "rss_per_series", per(grown, run.series), "B", run.series});
  return out;
}

}  // namespace statmill
