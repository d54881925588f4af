// ServerProcess: the statmilld under measurement, started here or already running, and its cost.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "tools/statmill-bench/process_meter.h"
#include "tools/statmill-bench/scratch_directory.h"
#include "tools/statmill/client.h"

namespace statmill {

// If a listener receives nothing for this long after the last sample was sent, the rest is lost.
inline constexpr std::chrono::seconds kStallLimit{2};

struct ServerAddress {
  Endpoint line;    // the address of the measured listener
  std::string url;  // empty: a server of another kind, which has no API to query
  pid_t pid = 0;
};

// How to start a statmilld.
struct ServerCommand {
  std::filesystem::path program;
  std::vector<std::string> options = {};  // in addition to its data directory and its addresses
  std::filesystem::path parent = {};  // where its data directory is created; empty: the system's directory
  std::string listener = "line";      // the measured listener: "line", "graphite", "statsd" or "influx"
  // True for an agent, which accepts lines and reports its counts like a server, and has no data directory.
  enum class Kind : uint8_t { kServer, kAgent };
  Kind kind = Kind::kServer;
};

// The values of a listener's counters.
struct ListenerCounts {
  uint64_t received = 0;  // samples
  uint64_t accepted = 0;
  uint64_t refused = 0;            // for any reason, including drops
  uint64_t dropped_datagrams = 0;  // by the kernel, with an unknown number of samples

  bool holds() const { return accepted + refused == received; }
  ListenerCounts since(const ListenerCounts& before) const {
    return {received - before.received, accepted - before.accepted, refused - before.refused,
            dropped_datagrams - before.dropped_datagrams};
  }
};

// Confined to one thread.
class ServerProcess {
 public:
  // Attaches to a running server and leaves it running. Without a URL only its meter is usable. Errors:
  // kInvalid; kNotFound if there is no such process.
  static Result<ServerProcess> running(ServerAddress address);
  // Starts a server on free ports with a temporary data directory, and waits until it is ready. Errors:
  // kUnavailable with its output if it does not start.
  static Result<ServerProcess> start(const ServerCommand& command);
  // If start() started the server: stops it with SIGTERM, waits for its exit and removes its data.
  ~ServerProcess();
  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&&) = delete;

  // Sends the signal and waits for the exit. Requires: start() started the server, and it runs.
  void stop(int signal);
  // Starts it again on the same data with other options. Requires: it is stopped. Errors: those of start().
  Status start_again(const std::vector<std::string>& options);

  const ServerAddress& address() const { return address_; }
  bool is_ours() const { return data_.has_value(); }  // started by start()

  Endpoint http() const;  // Requires: the address has a URL
  // Where its admin API listens. Requires: start() started it.
  std::filesystem::path admin_socket() const { return store_path() / "admin.sock"; }

  ProcessMeter meter() const { return ProcessMeter(address_.pid); }
  // Errors: those of Client; kIo if the status is not 200.
  Result<std::string> get(std::string_view path, const UrlParameters& parameters = {}) const;
  // Returns one value of its /metrics. The name includes the labels. Errors: also kNotFound.
  Result<double> metric(std::string_view name) const;
  // Returns the counts of the listener "tcp", "graphite_udp", ...
  Result<ListenerCounts> counts(std::string_view listener) const;
  // Waits until the listener has received `wanted` samples, or none for `stall_limit`. Returns its counts.
  Result<ListenerCounts> wait_for_received(std::string_view listener, uint64_t wanted,
                                           Duration stall_limit) const;
  // Waits until every accepted sample is in the store, which takes two more ticks.
  Status wait_until_durable() const;
  // Makes the server write every bucket that waits in RAM. Requires: start() started it.
  Status flush() const;
  // Waits until the server has returned free memory to the system, which it does at least every 10 s.
  Status wait_until_memory_is_returned() const;

 private:
  ServerProcess() = default;
  Status launch(const std::vector<std::string>& options);  // starts the process and calls connect()
  std::filesystem::path store_path() const { return data_->path() / "server"; }
  Status connect();  // creates a client for address_.url
  Status wait_for_more(std::string_view metric_name, double than) const;

  std::filesystem::path program_;
  std::string listener_ = "line";
  ServerCommand::Kind kind_ = ServerCommand::Kind::kServer;
  ServerAddress address_;  // pid 0: not running
  std::optional<Client> client_;
  std::optional<ScratchDirectory> data_;  // nullopt: not started here, so not stopped here
  int error_pipe_ = -1;  // the read end of its standard error, which may hold up to 64 KiB unread; or -1
};

// Returns the value of a sample in Prometheus text, or nullopt if there is none. The name includes the
// labels.
std::optional<double> find_metric(std::string_view metrics, std::string_view name);

// Returns the counts of a listener from Prometheus text. Errors: kNotFound if there is no such listener.
Result<ListenerCounts> find_listener_counts(std::string_view metrics, std::string_view listener);

}  // namespace statmill
