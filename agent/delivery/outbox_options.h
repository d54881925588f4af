// OutboxOptions: which servers the agent sends to, and where unsent lines are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/text.h"
#include "proto/agent/frames.h"
#include "proto/host_boot.h"

namespace statmill {

struct OutboxOptions {
  std::vector<Endpoint> servers;  // --server; each gets all lines
  std::string token_file;         // --server.token_file; empty: none
  bool uses_tls = false;          // --server.tls
  std::string authority_file;     // --server.authority; empty: the system's certificates
  std::string tls_name;           // --server.name; empty: the host name in --server
  bool allows_plain = false;      // --server.plain: allow connections without TLS outside the loopback, too
  std::string spool_path;         // --spool.path; empty: in memory
  size_t spool_bytes = size_t{1} << 30;            // --spool.bytes, on disk
  Duration spool_keep = std::chrono::minutes(15);  // --spool.keep
  size_t spool_keep_bytes = size_t{64} << 20;      // --spool.keep_bytes
  // --queue.bytes, in memory; the same amount again may wait for the spool
  size_t queue_bytes = size_t{4} << 20;
  std::string host;  // this host's display name on the servers
  // Returns the current status of the collectors, for the servers. The texts are valid until the next call.
  // May be empty.
  std::function<std::vector<CollectorNote>()> collectors{};
  // Returns which kernel the host runs and since when, for the servers: called for each hello. May be empty.
  std::function<HostBoot()> boot{};
  uint64_t seed = 0;  // for the jitter of the backoffs
};

}  // namespace statmill
