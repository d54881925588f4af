// Sends samples by remote_write 1.0 (prometheus.io/docs/specs/prw/remote_write_spec) to another server.
#pragma once

#include <memory>
#include <string>

#include "tools/statmill/client.h"
#include "tools/statmill/export/history_writer.h"

namespace statmill {

struct RemoteWriteAccount {
  uint64_t requests = 0;
  uint64_t samples = 0;
  uint64_t refused = 0;      // samples of requests that the server refused for good
  std::string first_answer;  // to the first of these
};

inline constexpr size_t kRemoteWriteSamplesMax = 2'000;  // of a request
inline constexpr int kRemoteWriteTries = 10;  // of a request; half a second apart at first, then more

// Sends to `path` of the client's server. A request that fails by a 5xx, 429 or the connection is sent again;
// repeats are harmless there. Both must outlive it.
std::unique_ptr<HistoryWriter> make_remote_write_writer(const Client& client, std::string path,
                                                        RemoteWriteAccount& account);

}  // namespace statmill
