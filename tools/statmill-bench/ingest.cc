// See ingest.h.
#include "tools/statmill-bench/ingest.h"

#include <algorithm>
#include <thread>

#include "tools/statmill-bench/sender.h"
#include "tools/statmill-bench/workload.h"

namespace statmill {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kStallLimit{2};         // no progress for so long: the rest is lost
constexpr std::chrono::milliseconds kSettleTime{600};  // two ticks: journaling belongs to the samples' cost

std::string_view listener_name(Transport transport) { return transport == Transport::kTcp ? "tcp" : "udp"; }

Status send(const Endpoint& target, Transport transport, const std::vector<Stream>& streams) {
  switch (transport) {
    case Transport::kTcp:
      return send_tcp(target, streams);
    case Transport::kUdp:
      return send_udp(target, streams);
    case Transport::kUdpGso:
      return send_udp_gso(target, streams);
  }
  return Status::ok();
}

std::string_view transport_name(Transport transport) {
  return transport == Transport::kUdpGso ? "udp_gso" : listener_name(transport);
}

// What one run of sending cost.
struct Cost {
  uint64_t sent = 0;
  uint64_t accepted = 0;
  nanoseconds elapsed{};
  nanoseconds cpu{};
};

Result<Cost> send_and_wait(const ServerProcess& server, Transport transport,
                           const std::vector<Stream>& streams) {
  const std::string_view listener = listener_name(transport);
  Cost cost;
  for (const Stream& stream : streams) cost.sent += stream.samples;
  const Result<uint64_t> accepted_before = server.accepted(listener);
  if (!accepted_before) return accepted_before.error();
  const Result<nanoseconds> cpu_before = server.cpu_time();
  if (!cpu_before) return cpu_before.error();

  const auto begin = steady_clock::now();
  if (Status sent = send(server.address().line, transport, streams); !sent) return sent.error();
  const Result<uint64_t> accepted =
      server.wait_for_accepted(listener, *accepted_before + cost.sent, kStallLimit);
  if (!accepted) return accepted.error();
  cost.elapsed = steady_clock::now() - begin;
  cost.accepted = *accepted - *accepted_before;
  // With losses the wait ended by stalling; that time was not spent on samples.
  if (cost.accepted < cost.sent) cost.elapsed -= kStallLimit;

  std::this_thread::sleep_for(kSettleTime);
  const Result<nanoseconds> cpu = server.cpu_time();
  if (!cpu) return cpu.error();
  cost.cpu = *cpu - *cpu_before;
  return cost;
}

double per(double total, uint64_t n) { return n == 0 ? 0 : total / static_cast<double>(n); }

}  // namespace

Result<std::vector<Measurement>> run_ingest(const ServerProcess& server, const IngestOptions& options,
                                            Timestamp now) {
  const size_t passes = std::max<size_t>(2, options.samples / options.series);
  WorkloadOptions workload{.series = options.series,
                           .passes = 1,
                           .connections = options.connections,
                           .is_shuffled = options.is_shuffled};
  if (options.has_times) workload.first_time_s = unix_seconds(now) - static_cast<int64_t>(passes) * 10;
  const std::vector<Stream> first = make_workload(workload);
  if (workload.first_time_s) *workload.first_time_s += 10;
  workload.passes = passes - 1;
  const std::vector<Stream> rest = make_workload(workload);

  const Result<uint64_t> bytes_before = server.resident_bytes();
  if (!bytes_before) return bytes_before.error();
  const Result<Cost> creating = send_and_wait(server, options.transport, first);
  if (!creating) return creating.error();
  const Result<Cost> cost = send_and_wait(server, options.transport, rest);
  if (!cost) return cost.error();
  const Result<uint64_t> bytes = server.resident_bytes();
  if (!bytes) return bytes.error();

  const std::string prefix = "ingest." + std::string(transport_name(options.transport)) +
                             (options.has_times ? ".backfill." : ".live.") + short_count(options.series) +
                             (options.is_shuffled ? ".random." : ".");
  const auto microseconds = [](nanoseconds t) { return static_cast<double>(t.count()) / 1e3; };
  const double grown = static_cast<double>(*bytes) - static_cast<double>(*bytes_before);
  const uint64_t lost = creating->sent + cost->sent - creating->accepted - cost->accepted;
  return std::vector<Measurement>{
      {prefix + "samples_per_s", static_cast<double>(cost->accepted) * 1e6 / microseconds(cost->elapsed),
       "1/s", cost->accepted},
      {prefix + "cpu_per_sample", per(microseconds(cost->cpu), cost->accepted), "us", cost->accepted},
      {prefix + "cpu_per_new_series", per(microseconds(creating->cpu), creating->accepted), "us",
       creating->accepted},
      {prefix + "resident", static_cast<double>(*bytes), "B", options.series},
      {prefix + "resident_per_series", per(grown, options.series), "B", options.series},
      {prefix + "lost", static_cast<double>(lost), "samples", creating->sent + cost->sent},
  };
}

}  // namespace statmill
