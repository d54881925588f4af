// Upstream: the servers that a gateway passes batches on to, and how it connects to them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agent/spool/spool.h"
#include "base/net/tls_context.h"
#include "base/text.h"

namespace statmill {

struct Upstream {
  std::vector<Endpoint> servers;
  std::string token{};                // the token that the servers require; empty: none
  std::shared_ptr<TlsContext> tls{};  // null: plain
  std::string tls_name{};             // the name that the certificates must have; empty: the servers' hosts
  uint64_t seed = 0;                  // for the jitter of the backoffs
  SpoolOptions spool{};               // of each agent's batches; keeps_unacknowledged is set
};

}  // namespace statmill
