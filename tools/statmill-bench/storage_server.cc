// The measures ram_per_series_1m, ram_per_idle_series_1m, recovery_100k, recovery_1m and start_clean: a whole
// statmilld, fed by TCP.
#include <algorithm>
#include <csignal>
#include <utility>

#include "tools/statmill-bench/sender.h"
#include "tools/statmill-bench/server_process.h"
#include "tools/statmill-bench/storage_measures.h"
#include "tools/statmill-bench/workload.h"
#include "tools/statmill/answer.h"

namespace statmill {
namespace {

using std::chrono::steady_clock;

constexpr int64_t kStep = 10;
constexpr size_t kWindowSlots = 60;  // the slots of a flush interval of 10 minutes

// No flush happens and no sample is refused, so that all the data to recover are in the journal.
const std::vector<std::string> kNeverFlush = {"--flush.interval", "24h", "--pending.bytes", "64G"};
// Frequent flushes leave almost nothing in the journal, as in a server that has caught up.
const std::vector<std::string> kFlushAtOnce = {"--flush.interval", "1s"};

struct Load {
  size_t series = 0;
  size_t slots = 0;
  int64_t end_s = 0;  // the time of the last slot; a multiple of kStep

  int64_t begin_s() const { return end_s - static_cast<int64_t>(slots) * kStep; }
};

Load load_until(Timestamp now, size_t series, size_t slots) {
  return {series, slots, unix_seconds(now) / kStep * kStep};
}

// Sends a sample of each series for each slot, and returns when all are in the store. The server has had
// `before` samples until now.
Status feed(const ServerProcess& server, const Load& load, uint64_t before = 0) {
  constexpr size_t kSendBytesMax = size_t{64} << 20;  // generated at once, to limit RAM; at least one pass
  // If there is no progress for this long, samples are lost.
  constexpr std::chrono::seconds kLoadStallLimit{30};
  const size_t passes_at_once = std::max<size_t>(1, kSendBytesMax / (load.series * kWorkloadLineBytesMax));
  Workload workload({.series = load.series, .first_time_s = load.begin_s()});
  for (size_t slot = 0; slot < load.slots; slot += passes_at_once) {
    const size_t passes = std::min(passes_at_once, load.slots - slot);
    std::vector<Stream> streams = workload.next(passes);
    const Result<Sent> sent = send({.server = server.address().line}, streams, {.count = passes});
    if (!sent) return sent.error();
  }
  const uint64_t sent = before + uint64_t{load.series} * load.slots;
  const Result<ListenerCounts> counts = server.wait_for_received("tcp", sent, kLoadStallLimit);
  if (!counts) return counts.error();
  if (counts->accepted != sent) {
    return Error{ErrorCode::kLimit, "the server took " + std::to_string(counts->accepted) + " of " +
                                        std::to_string(sent) + " samples"};
  }
  return server.wait_until_durable();
}

// Queries the newest slots of the last series. The answer is right if every slot has its sample.
Status check_newest(const ServerProcess& server, const Load& load) {
  const size_t slots = std::min(load.slots, kWindowSlots);
  const Result<std::string> body =
      server.get("/api/v1/query", {{"series", series_name(load.series - 1)},
                                   {"from", std::to_string(load.end_s - static_cast<int64_t>(slots) * kStep)},
                                   {"until", std::to_string(load.end_s)},
                                   {"step", std::to_string(kStep)},
                                   {"stats", "count"}});
  if (!body) return body.error();
  const Result<QueryResult> result = parse_query_result(*body, {"count"});
  if (!result) return result.error();
  const auto is_one = [](const std::optional<double>& count) { return count == 1; };
  if (result->series.size() == 1) {
    const auto& counts = result->series.front().columns.front().second;
    if (counts.size() == slots && std::all_of(counts.begin(), counts.end(), is_one)) return Status::ok();
  }
  return Error{ErrorCode::kCorrupt, "samples are missing: " + *body};
}

// Returns the time from exec to the first right answer. The query is sent after the log line that says that
// the server is ready.
Result<double> start_seconds(ServerProcess& server, const std::vector<std::string>& options,
                             const Load& load) {
  const auto begin = steady_clock::now();
  if (Status s = server.start_again(options); !s) return s.error();
  if (Status s = check_newest(server, load); !s) return s.error();
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

// Starts a new server and sends it the load.
Result<ServerProcess> loaded_server(const MeasureContext& context, const std::vector<std::string>& options,
                                    const Load& load) {
  Result<ServerProcess> server = ServerProcess::start(
      {.program = context.server_program, .options = options, .parent = context.options.directory});
  if (!server) return server;
  if (Status s = feed(*server, load); !s) return s.error();
  return server;
}

void say_load(std::string_view name, const Load& load, std::string_view more) {
  say(name, std::to_string(load.series) + " series x " + std::to_string(load.slots) +
                " slots by TCP lines, " + std::string(more));
}

// Returns the memory of the engine's buffers and caches, by the server's status.
Result<double> store_memory_bytes(const ServerProcess& server) {
  const Result<std::string> body = server.get("/api/v1/status");
  if (!body) return body.error();
  const auto fields = flatten_object(*body);
  if (!fields) return fields.error();
  for (const auto& [key, text] : *fields) {
    if (key == "store_memory_bytes") return std::strtod(text.c_str(), nullptr);
  }
  return Error{ErrorCode::kNotFound, "/api/v1/status has no store_memory_bytes"};
}

}  // namespace

Measured measure_ram(const MeasureContext& context) {
  constexpr size_t kRamSeries = 1'000'000;
  constexpr size_t kRamSlots = 3;
  const Load load = load_until(context.now, scaled_series(kRamSeries, context.options), kRamSlots);
  say_load("ram_per_series_1m", load, "default settings");
  const Result<ServerProcess> server = loaded_server(context, {}, load);
  if (!server) return server.error();
  if (Status s = server->wait_until_memory_is_returned(); !s) return s.error();
  const Result<uint64_t> resident = server->meter().resident_bytes();
  if (!resident) return resident.error();
  const Result<double> store = store_memory_bytes(*server);
  if (!store) return store.error();
  const auto per_series = [&](double bytes) { return bytes / static_cast<double>(load.series); };
  const auto all = static_cast<double>(*resident);
  return std::vector<Measurement>{
      {"storage.ram_per_series_1m", per_series(all), "B", load.series},
      {"storage.ram_per_series_1m_outside_rocksdb", per_series(all - *store), "B", load.series}};
}

Measured measure_idle_ram(const MeasureContext& context) {
  constexpr size_t kRamSeries = 1'000'000;
  constexpr std::chrono::hours kIdle{2};
  const Load load = load_until(context.now - kIdle, scaled_series(kRamSeries, context.options), 1);
  say_load("ram_per_idle_series_1m", load, "two hours ago, started again");
  Result<ServerProcess> server = loaded_server(context, {}, load);
  if (!server) return server.error();
  if (Status s = feed(*server, load_until(context.now, 1, 1), load.series); !s) return s.error();
  if (Status s = server->flush(); !s) return s.error();
  server->stop(SIGTERM);
  const Result<double> seconds = start_seconds(*server, {}, load);
  if (!seconds) return seconds.error();
  if (Status s = server->wait_until_memory_is_returned(); !s) return s.error();
  const Result<uint64_t> resident = server->meter().resident_bytes();
  if (!resident) return resident.error();
  return std::vector<Measurement>{
      {"storage.ram_per_idle_series_1m", static_cast<double>(*resident) / static_cast<double>(load.series),
       "B", load.series},
      {"storage.start_idle_1m_s", *seconds, "s", load.series}};
}

Measured measure_recovery(std::string_view name, size_t series, const MeasureContext& context) {
  const Load load = load_until(context.now, scaled_series(series, context.options), kWindowSlots);
  say_load(name, load, "none flushed, killed by SIGKILL");
  Result<ServerProcess> server = loaded_server(context, kNeverFlush, load);
  if (!server) return server.error();
  server->stop(SIGKILL);
  const Result<double> seconds = start_seconds(*server, kNeverFlush, load);
  if (!seconds) return seconds.error();
  return std::vector<Measurement>{
      {"storage." + std::string(name) + "_s", *seconds, "s", uint64_t{load.series} * load.slots}};
}

Measured measure_clean_start(const MeasureContext& context) {
  constexpr size_t kDaySeries = 1000;
  constexpr size_t kDaySlots = 8640;
  constexpr size_t kStartsAgain = 5;
  const Load load = load_until(context.now, scaled_series(kDaySeries, context.options), kDaySlots);
  say_load("start_clean", load, "flushed each second, stopped by SIGTERM");
  Result<ServerProcess> server = loaded_server(context, kFlushAtOnce, load);
  if (!server) return server.error();
  server->stop(SIGTERM);
  const Result<double> first = start_seconds(*server, {}, load);
  if (!first) return first.error();
  std::vector<double> again;
  for (size_t i = 0; i < kStartsAgain; ++i) {
    server->stop(SIGTERM);
    const Result<double> seconds = start_seconds(*server, {}, load);
    if (!seconds) return seconds.error();
    again.push_back(*seconds);
  }
  return std::vector<Measurement>{
      {"storage.start_clean_ms", *first * 1e3, "ms", 1},
      {"storage.start_again_ms", percentile(again, 50) * 1e3, "ms", again.size()}};
}

}  // namespace statmill
