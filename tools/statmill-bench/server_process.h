// ServerProcess: the statmilld under measurement, started by us or already running, and what it costs.
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

struct ServerAddress {
  Endpoint line;    // of the listener that is measured
  std::string url;  // empty: a server of another kind, of which nothing can be asked
  pid_t pid = 0;
};

// A statmilld to start.
struct ServerCommand {
  std::filesystem::path program;
  std::vector<std::string> options = {};  // besides its data directory and its addresses
  std::filesystem::path parent = {};      // where its data directory is made; empty: the system's place
  std::string listener = "line";          // whose address is taken: "line", "graphite", "statsd"
  // An agent takes lines and tells its account as a server does, and keeps no data.
  enum class Kind : uint8_t { kServer, kAgent };
  Kind kind = Kind::kServer;
};

// What a listener has counted so far.
struct ListenerAccount {
  uint64_t received = 0;  // samples
  uint64_t accepted = 0;
  uint64_t refused = 0;            // for all reasons; with those dropped, if any
  uint64_t dropped_datagrams = 0;  // by the kernel, with an unknown number of samples

  bool holds() const { return accepted + refused == received; }
  ListenerAccount since(const ListenerAccount& before) const {
    return {received - before.received, accepted - before.accepted, refused - before.refused,
            dropped_datagrams - before.dropped_datagrams};
  }
};

// Confined to one thread.
class ServerProcess {
 public:
  // Watches one that runs already and leaves it running; without a URL only its meter has a meaning. Errors:
  // kInvalid, kNotFound when there is no such process.
  static Result<ServerProcess> running(ServerAddress address);
  // Starts one on free ports with a temporary data directory and waits until it is ready.
  // Errors: kUnavailable with what it said when it does not come up.
  static Result<ServerProcess> start(const ServerCommand& command);
  // Stops it (SIGTERM, wait) and removes its data, if start() made it.
  ~ServerProcess();
  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&&) = delete;

  // Ends it by that signal and waits for its end. Requires: start() made it, it runs.
  void stop(int signal);
  // Starts it again on the same data, with other options. Requires: stopped. Errors: as start().
  Status start_again(const std::vector<std::string>& options);

  const ServerAddress& address() const { return address_; }
  bool is_ours() const { return data_.has_value(); }  // start() made it

  ProcessMeter meter() const { return ProcessMeter(address_.pid); }
  // Errors: those of Client; kIo when the answer is not 200.
  Result<std::string> get(std::string_view path, const UrlParameters& parameters = {}) const;
  // One value of its /metrics, labels included in the name. Errors: also kNotFound.
  Result<double> metric(std::string_view name) const;
  // Of the listener "tcp", "graphite_udp", ...
  Result<ListenerAccount> account(std::string_view listener) const;
  // Waits until the listener has received `wanted` samples, or none for `stall_limit`. Gives its account.
  Result<ListenerAccount> wait_for_received(std::string_view listener, uint64_t wanted,
                                            Duration stall_limit) const;
  // Waits until all that is accepted is in the store: two more ticks.
  Status wait_until_durable() const;
  // Has every bucket that waits in RAM written now. Requires: start() made it.
  Status flush() const;
  // Waits until it has given memory that is free back to the system, which it does every 10 s at least.
  Status wait_until_memory_is_returned() const;

 private:
  ServerProcess() = default;
  Status launch(const std::vector<std::string>& options);  // and connect()
  std::filesystem::path store_path() const { return data_->path() / "server"; }
  Status connect();  // a client for address_.url
  Status wait_for_more(std::string_view metric_name, double than) const;

  std::filesystem::path program_;
  std::string listener_ = "line";
  ServerCommand::Kind kind_ = ServerCommand::Kind::kServer;
  ServerAddress address_;  // pid 0: does not run
  std::optional<Client> client_;
  std::optional<ScratchDirectory> data_;  // none: not ours to stop
  int error_pipe_ = -1;  // read end of its standard error, up to 64 KiB of which may lie unread; or -1
};

// The value of the sample of that name, labels included, in Prometheus text, or none.
std::optional<double> find_metric(std::string_view metrics, std::string_view name);

// The account of a listener in Prometheus text. Errors: kNotFound when there is no such listener.
Result<ListenerAccount> find_account(std::string_view metrics, std::string_view listener);

}  // namespace statmill
