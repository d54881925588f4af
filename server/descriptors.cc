#include "server/descriptors.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/open_files.h"
#include "server/http/http_server.h"

namespace statmill {
namespace {

// Those of threads, sockets that listen, the lock and the log of the store, connections to the admin socket,
// and files that compactions, backups and checks open for a while. A server without load has 35.
constexpr size_t kOwn = 64;
constexpr size_t kPerThread = 4;   // an event loop has three, its UDP socket is the fourth
constexpr size_t kStoreShare = 4;  // the tables of the store may have one descriptor in so many
constexpr size_t kStoreMin = 24;

}  // namespace

std::optional<Fault> plan_descriptors(size_t descriptors, ServerConfig& config, Log& log) {
  const size_t threads = 3 * config.line.threads + agent_threads(config.agent.threads);
  const auto wanted_by_store = static_cast<size_t>(config.store.open_files_max);
  const size_t store = std::clamp(descriptors / kStoreShare, kStoreMin, wanted_by_store);
  const size_t reserved = kOwn + kPerThread * threads + store;
  size_t lines = config.line.connections_max;
  size_t agents = config.agent.connections_max;
  size_t http = config.http.connections_max + rejected_max(config.http.connections_max);
  const size_t wanted = lines + agents + http;
  if (descriptors < reserved ||
      !share_descriptors(descriptors - reserved, std::array{&lines, &agents, &http})) {
    return Fault{
        ExitCode::kFailed,
        {ErrorCode::kInvalid, "only " + std::to_string(descriptors) +
                                  " files may be open: raise LimitNOFILE= of the unit, or `ulimit -n`"}};
  }
  config.store.open_files_max = static_cast<int>(store);
  if (lines + agents + http == wanted) return std::nullopt;
  config.line.connections_max = lines;
  config.agent.connections_max = agents;
  config.http.connections_max = std::min(config.http.connections_max,
                                         std::max<size_t>(http * kRejectedShare / (kRejectedShare + 1), 1));
  log.warn("few open files: fewer connections than the settings say",
           {{"open_files", descriptors},
            {"line.connections", lines},
            {"agent.connections", agents},
            {"http.connections", config.http.connections_max}});
  return std::nullopt;
}

}  // namespace statmill
