// ServerProcess: the statmilld under measurement, started by us or already running, and what it costs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/text.h"
#include "tools/statmill/client.h"

namespace statmill {

struct ServerAddress {
  Endpoint line;
  std::string url;
  pid_t pid = 0;
};

// Confined to one thread.
class ServerProcess {
 public:
  // Watches one that runs already and leaves it running. Errors: kInvalid, kNotFound when there is no such
  // process.
  static Result<ServerProcess> running(ServerAddress address);
  // Starts `program` on free ports with a temporary data directory and waits until it is ready.
  // Errors: kUnavailable with what it said when it does not come up.
  static Result<ServerProcess> start(const std::filesystem::path& program);
  // Stops it (SIGTERM, wait) and removes its data, if start() made it.
  ~ServerProcess();
  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&&) = delete;

  const ServerAddress& address() const { return address_; }

  // User and system time of all its threads so far.
  Result<std::chrono::nanoseconds> cpu_time() const;
  Result<uint64_t> resident_bytes() const;
  // Samples that the listener ("tcp", "udp") has taken so far.
  Result<uint64_t> accepted(std::string_view listener) const;

 private:
  ServerProcess() = default;
  Status connect();  // a client for address_.url

  ServerAddress address_;
  std::optional<Client> client_;
  std::filesystem::path data_;  // empty: not ours to stop
  int error_pipe_ = -1;         // read end of its standard error, up to 64 KiB of which may lie unread; or -1
};

// The value of the sample `name{listener="..."}` in Prometheus text, or none.
std::optional<uint64_t> find_accepted(std::string_view metrics, std::string_view listener);

}  // namespace statmill
