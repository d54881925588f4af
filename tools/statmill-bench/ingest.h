// Suite `ingest`: what a sample costs the server on its way in, and a series in memory.
#pragma once

#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"
#include "tools/statmill-bench/server_process.h"

namespace statmill {

enum class Transport { kTcp, kUdp, kUdpGso };

struct IngestOptions {
  size_t series = 10'000;
  size_t samples = 2'000'000;  // rounded to whole passes over all series, at least two
  size_t connections = 1;
  Transport transport = Transport::kTcp;
  bool is_shuffled = false;
  bool has_times = false;  // every sample its own bucket of 10 s, ending now; else all at the time of receipt
};

// Sends one pass that creates the series, then the rest at full speed. The server should be fresh: it must
// not have the series yet, and nobody else may send to it.
Result<std::vector<Measurement>> run_ingest(const ServerProcess& server, const IngestOptions& options,
                                            Timestamp now);

}  // namespace statmill
