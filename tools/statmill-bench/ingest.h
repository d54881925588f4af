// One run of lines into a server: what a sample costs it on its way in, and a series in memory.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"
#include "tools/statmill-bench/sender.h"
#include "tools/statmill-bench/server_process.h"

namespace statmill {

struct IngestRun {
  LineDialect dialect = LineDialect::kIstatd;
  Transport transport = Transport::kTcp;
  size_t series = 10'000;
  size_t samples = 2'000'000;  // rounded to whole passes over all series, at least two
  size_t connections = 1;
  bool is_shuffled = false;
  bool has_times = false;  // every sample its own bucket of 10 s, ending now; else all at the time of receipt
  uint64_t rate = 0;       // samples per second; 0: as fast as it goes

  size_t passes() const { return samples / series < 2 ? 2 : samples / series; }
};

// "tcp.live.10k", "udp_gso.backfill.1m_random", "graphite.live.200", "statsd_udp.live.10k".
std::string run_name(const IngestRun& run);
// As the server's counters call it: "tcp", "graphite_udp".
std::string listener_name(LineDialect dialect, Transport transport);
// A server that listens for that dialect.
ServerCommand server_for(LineDialect dialect, std::filesystem::path program, std::filesystem::path parent);

// What one run of sending cost the server.
struct Cost {
  uint64_t sent = 0;
  uint64_t accepted = 0;               // of a server of another kind: sent
  std::chrono::nanoseconds elapsed{};  // until all was received; of a server of another kind: sent
  std::chrono::nanoseconds busy{};     // from then on, until the server had come to rest
  std::chrono::nanoseconds cpu{};      // until then
};

struct IngestCosts {
  Cost creating;  // the first pass, which makes the series
  Cost rest;
  uint64_t resident_bytes = 0;  // at the end
  uint64_t resident_bytes_before = 0;
};

// Sends a pass that makes the series, then the rest. The server should be fresh: it must not have the series
// yet, and nobody else may send to it. What a statmilld has taken is verified: its account must hold, and
// where nothing was counted as lost, all of it must be stored; else the error is kCorrupt. A backfill into a
// server that start() made is flushed before it counts as done.
Result<IngestCosts> measure_ingest(const ServerProcess& server, const IngestRun& run, Timestamp now);

// The measurements of a run, as "ingest.NAME.samples_per_s" and so on; of a suite's: the first three.
std::vector<Measurement> ingest_measurements(const std::string& name, const IngestCosts& costs);
std::vector<Measurement> run_measurements(const IngestRun& run, const IngestCosts& costs);

}  // namespace statmill
