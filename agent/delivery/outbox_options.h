// OutboxOptions: whom the agent sends to, and where what it sends waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/text.h"
#include "proto/agent/frames.h"

namespace statmill {

struct OutboxOptions {
  std::vector<Endpoint> servers;         // --server; each gets everything
  std::string token_file;                // --server.token_file; empty: none
  bool uses_tls = false;                 // --server.tls
  std::string authority_file;            // --server.authority; empty: the system's
  std::string tls_name;                  // --server.name; empty: the host's of --server
  bool allows_plain = false;             // --server.plain: without TLS, beyond the loopback too
  std::string spool_path;                // --spool.path; empty: in memory
  size_t spool_bytes = size_t{1} << 30;  // --spool.bytes, on disk
  size_t queue_bytes = size_t{4} << 20;  // --queue.bytes, in memory; as much again waits for the spool
  std::string host;                      // what the servers are to call this one
  // What the collectors report now, for the servers; the texts live until the next call. Empty: nothing.
  std::function<std::vector<CollectorNote>()> collectors{};
  uint64_t seed = 0;  // of the backoffs' jitter
};

}  // namespace statmill
