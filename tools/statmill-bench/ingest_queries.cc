// The measure query_p99_ms: the effect of ingest on queries.
#include <array>
#include <chrono>
#include <random>
#include <thread>

#include "tools/statmill-bench/ingest_measures.h"

namespace statmill {
namespace {

using std::chrono::steady_clock;

constexpr size_t kAskedSeries = kSeriesPerHost;  // the series of host 0, which have a day of samples

// Stores a day of 100 series.
Status feed_day(const ServerProcess& server, Timestamp now) {
  constexpr size_t kDaySlots = 8640;
  constexpr std::chrono::seconds kDayStallLimit{10};
  const int64_t now_s = unix_seconds(now) / kPassSeconds * kPassSeconds;
  const int64_t first = now_s - static_cast<int64_t>(kDaySlots) * kPassSeconds;
  std::vector<Stream> streams =
      make_workload({.series = kAskedSeries, .passes = kDaySlots, .first_time_s = first});
  const auto sent = send({.server = server.address().line}, streams, {.count = kDaySlots});
  if (!sent) return sent.error();
  const auto counts = server.wait_for_received("tcp", sent->samples, kDayStallLimit);
  if (!counts) return counts.error();
  if (counts->accepted != sent->samples) return Error{ErrorCode::kCorrupt, "samples of the day are missing"};
  if (Status s = server.wait_until_durable(); !s) return s;
  return server.flush();
}

// Queries one series or ten, alternately, each over a connection of its own. Returns the duration of each
// query, in ms.
Result<std::vector<double>> time_queries(const ServerProcess& server, size_t queries) {
  constexpr uint32_t kSeed = 6;
  std::minstd_rand random(kSeed);
  std::vector<double> out;
  for (size_t i = 0; i < queries; ++i) {
    const size_t n = random() % kAskedSeries;
    const std::string series =
        i % 2 == 0 ? series_name(n) : "servers.host00000.cpu." + std::to_string(n / 10) + ".*";
    const auto begin = steady_clock::now();
    const auto answer = server.get("/api/v1/query", {{"series", series}, {"from", "-24h"}, {"step", "10"}});
    if (!answer) return answer.error();
    out.push_back(std::chrono::duration<double, std::milli>(steady_clock::now() - begin).count());
  }
  return out;
}

// Does the same while lines arrive.
Result<std::vector<double>> time_queries_under_ingest(const ServerProcess& server, size_t queries,
                                                      Replay& replay) {
  constexpr size_t kForEver = size_t{1} << 40;  // passes
  constexpr std::chrono::seconds kWarmUp{
      2};  // ingest runs for this long before the measurement, so that its series exist and ticks run
  const SendOptions options{.server = server.address().line};
  Result<Sent> sent = Sent{};
  Result<std::vector<double>> out = std::vector<double>{};
  {
    std::jthread sender([&](const std::stop_token& stop) {
      SendOptions until_stopped = options;
      until_stopped.stop = stop;
      sent = send(until_stopped, replay.streams, {0, kForEver});
    });
    std::this_thread::sleep_for(kWarmUp);
    out = time_queries(server, queries);
  }
  if (!sent) return sent.error();
  return out;
}

}  // namespace

Measured measure_queries(const IngestContext& context) {
  constexpr size_t kIngestedSeries = 100'000;
  constexpr size_t kQueries = 1000;
  constexpr size_t kHeldBytesMax = size_t{256} << 20;
  const IngestOptions& options = context.options;
  const size_t series = scaled(kIngestedSeries, options.scale, kAskedSeries);
  const size_t queries = scaled(kQueries, options.scale, 2);
  say_ingest("query_p99_ms", std::to_string(queries) + " queries of 24 h, alone and while lines of " +
                                 std::to_string(series) + " series come by TCP");
  Replay replay =
      make_replay({.series = series, .passes = 100, .connections = options.connections}, kHeldBytesMax);
  const auto server = ServerProcess::start({.program = context.server_program, .parent = options.directory});
  if (!server) return server.error();
  if (Status s = feed_day(*server, SystemClock().wall()); !s) return s.error();
  const auto idle = time_queries(*server, queries);
  if (!idle) return idle.error();
  const auto busy = time_queries_under_ingest(*server, queries, replay);
  if (!busy) return busy.error();
  const auto counts = server->counts("tcp");
  if (!counts) return counts.error();
  if (!counts->holds() || counts->refused != 0) {
    return Error{ErrorCode::kCorrupt, std::to_string(counts->refused) + " samples were refused"};
  }
  const std::string p99 = "ingest.query_p99_ms.";
  const std::string p50 = "ingest.query_p50_ms.";
  const double idle_p99 = percentile(*idle, 99);
  const double busy_p99 = percentile(*busy, 99);
  return std::vector<Measurement>{{p99 + "idle", idle_p99, "ms", queries},
                                  {p99 + "under_ingest", busy_p99, "ms", queries},
                                  {p99 + "ratio", busy_p99 / idle_p99, "1", queries},
                                  {p50 + "idle", percentile(*idle, 50), "ms", queries},
                                  {p50 + "under_ingest", percentile(*busy, 50), "ms", queries}};
}

}  // namespace statmill
