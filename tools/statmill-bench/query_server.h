// QueryServer: a server that the suite `query` asks: statmilld, or one that it is compared with.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"
#include "tools/statmill-bench/process_meter.h"
#include "tools/statmill-bench/query_data.h"
#include "tools/statmill-bench/server_process.h"

namespace statmill {

// Confined to one thread. The destructor stops the server and removes its data.
class QueryServer {
 public:
  virtual ~QueryServer() = default;

  // Empty: statmill; "prometheus", ...
  virtual std::string_view name() const = 0;
  // The path of Prometheus' API, which all of them have, before "/query".
  virtual std::string_view api() const = 0;
  // Its address and its process change with each start.
  virtual Endpoint http() const = 0;
  virtual ProcessMeter meter() const = 0;
  // Stores the samples. Errors: of the server; kLimit if it refuses some.
  virtual Status load(const QueryData& data) = 0;
  // Stops it and starts it on the same data: its own caches are empty then, those of the system are not.
  virtual Status restart() = 0;
};

struct StatmillQueryOptions {
  std::filesystem::path program;
  std::filesystem::path parent;  // where its data directory is created; empty: the system's
  bool is_pending = false;       // true: samples stay in RAM; false: load() writes them to chunks
};

// QueryServer::api() of statmill.
inline constexpr std::string_view kStatmillApi = "/prometheus/api/v1";

// Sends the samples to a statmilld, and waits until they are durable. Errors: those of load().
Status send_samples(const ServerProcess& server, const QueryData& data);

Result<std::unique_ptr<QueryServer>> start_statmill(const StatmillQueryOptions& options);

}  // namespace statmill
