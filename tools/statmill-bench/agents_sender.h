// Sends lines as agents do, in numbered batches that the server acknowledges when they are durable. Has no
// spool.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/net/tls_context.h"
#include "base/result.h"
#include "base/text.h"

namespace statmill {

struct AgentLoad {
  Endpoint server;
  std::string host;                      // names the agent; its id is derived from it
  size_t batch_bytes = 48 << 10;         // the most that the lines of a batch take
  size_t unacknowledged_max = 1;         // batches; the agent waits for acknowledgments above that
  size_t passes = 1;                     // how often all lines are sent
  double rate = 0;                       // samples per second; 0: as fast as it goes
  std::shared_ptr<TlsContext> tls = {};  // null: plain TCP
};

struct Acknowledged {
  uint64_t samples = 0;
  std::vector<std::chrono::nanoseconds>
      latencies;  // one per batch, from its first byte to its acknowledgment
};

// Sends `lines` and returns when the server has acknowledged them all. Requires: every line ends with LF and
// fits in a batch. Errors: kUnavailable, kIo; kCorrupt if the server sends anything but an acknowledgment.
Result<Acknowledged> send_acknowledged(const AgentLoad& load, const std::string& lines);

// Connects `count` agents one after the other, whose hosts are load.host and a number; each stays connected
// and sends `lines` as one batch. Returns when all batches are acknowledged, with how long that took each
// agent, counted from the begin of the call. Errors: those of send_acknowledged().
Result<std::vector<std::chrono::nanoseconds>> connect_agents(const AgentLoad& load, const std::string& lines,
                                                             size_t count);

// Connects `hosts` agents, whose hosts are load.host and a number, and lets each send a batch in each second
// for `duration`, one after the other, evenly over the second: the texts of `variants` in turn, with the tag
// `host`. Returns how many lines were sent and acknowledged. If that takes longer than a second, all come
// later, and fewer. Errors: those of send_acknowledged().
Result<uint64_t> send_fleet(const AgentLoad& load, const std::vector<std::string>& variants, size_t hosts,
                            std::chrono::seconds duration);

}  // namespace statmill
