// Sending as agents do: numbered batches in frames, acknowledged when they are durable, without a spool.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text.h"

namespace statmill {

struct AgentLoad {
  Endpoint server;
  std::string host;               // names the agent, and makes its id
  size_t batch_bytes = 48 << 10;  // of the lines of a batch, at most
  size_t unacknowledged_max = 1;  // batches; then the agent waits
  size_t passes = 1;              // how often all lines are sent
  double rate = 0;                // samples per second; 0: as fast as it goes
};

struct Acknowledged {
  uint64_t samples = 0;
  std::vector<std::chrono::nanoseconds>
      latencies;  // of each batch, from its first byte to its acknowledgment
};

// Sends `lines` and returns when all is acknowledged. Requires: every line is ended by LF and fits a batch.
// Errors: kUnavailable, kIo; kCorrupt when the server answers otherwise.
Result<Acknowledged> send_acknowledged(const AgentLoad& load, const std::string& lines);

}  // namespace statmill
