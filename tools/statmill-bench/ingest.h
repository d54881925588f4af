// One run of lines into a server: the server's cost per sample, and the memory per series.
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
  size_t samples = 2'000'000;  // rounded to whole passes over all series; at least two passes
  size_t connections = 1;
  bool is_shuffled = false;
  bool has_times =
      false;  // true: each sample gets a 10 s bucket of its own, the last one now; false: the time of receipt
  uint64_t rate = 0;  // samples per second; 0: as fast as it goes

  size_t passes() const { return samples / series < 2 ? 2 : samples / series; }
};

// "tcp.live.10k", "udp_gso.backfill.1m_random", "graphite.live.200", "statsd_udp.live.10k".
std::string run_name(const IngestRun& run);
// The listener's name in the server's metrics: "tcp", "graphite_udp".
std::string listener_name(LineDialect dialect, Transport transport);
// The options of a server that listens for the run's dialect.
ServerCommand server_for(LineDialect dialect, std::filesystem::path program, std::filesystem::path parent);

// The server's cost of one run.
struct Cost {
  uint64_t sent = 0;
  uint64_t accepted = 0;               // for a server of another kind: the samples sent
  std::chrono::nanoseconds elapsed{};  // until the server has received everything; for a server of another
                                       // kind: until everything is sent
  std::chrono::nanoseconds busy{};     // after that, until the server is idle
  std::chrono::nanoseconds cpu{};      // up to that moment
};

struct IngestCosts {
  Cost creating;  // the first pass, which creates the series
  Cost rest;
  uint64_t resident_bytes = 0;  // at the end
  uint64_t resident_bytes_before = 0;
};

// Sends one pass that creates the series, then the others. Requires: the server does not have the series yet,
// and nothing else sends to it. Verifies a statmilld: its account of accepted and refused samples must add
// up, and if it counted no loss, it must have stored every sample; otherwise the error is kCorrupt. A
// backfill into a server that start() started ends when its buckets are flushed.
Result<IngestCosts> measure_ingest(const ServerProcess& server, const IngestRun& run, Timestamp now);

// Returns the measurements of a run, named "ingest.NAME.samples_per_s" and so on. A measure of the suite
// reports the first three.
std::vector<Measurement> ingest_measurements(const std::string& name, const IngestCosts& costs);
std::vector<Measurement> run_measurements(const IngestRun& run, const IngestCosts& costs);

}  // namespace statmill
