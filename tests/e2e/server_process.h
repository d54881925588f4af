// ServerProcess runs a statmilld with its own data directory on free ports, and has helpers to send it
// samples and read its answers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/http_client.h"
#include "tests/support/process.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"

namespace statmill {

// The totals of one series over the last minutes, summed over all slots.
struct SeriesTotals {
  double count = 0;
  double sum = 0;
};

class ServerProcess {
 public:
  // `bin` is the folder of the programs; `options` are added to statmilld's command line.
  explicit ServerProcess(std::string bin, std::vector<std::string> options = {});
  ~ServerProcess();

  // Limits the descriptors of the processes that are started from now on.
  void limit_open_files(size_t max) { open_files_max_ = max; }
  // Starts the programs of another folder from now on.
  void use_programs_of(std::string bin) { bin_ = std::move(bin); }
  // Starts statmilld on the data of the previous start and waits until it is ready. A port of 0 means any
  // free port, which can differ at each start.
  void start(uint16_t line_port = 0, uint16_t agent_port = 0,
             std::vector<std::pair<std::string, std::string>> environment = {});
  // Like start(), but returns false if the server ends before it is ready.
  bool try_start(uint16_t line_port, uint16_t agent_port,
                 std::vector<std::pair<std::string, std::string>> environment);
  // Sends SIGTERM and returns the exit status.
  int stop();
  void kill();

  const Endpoint& line() const { return line_; }
  // The endpoint that agents connect to.
  const Endpoint& agent() const { return agent_; }
  // The endpoint of a listener that `options` enable: "graphite" or "statsd".
  Endpoint listener(std::string_view name) const;
  const Endpoint& http() const { return http_; }
  const std::string& admin_socket() const { return admin_socket_; }
  const std::filesystem::path& data() const { return directory_.path(); }
  Process& process() { return *process_; }

  // Sends the lines over one TCP connection and returns when the server has read them and closed it.
  void send(std::string_view lines) const { send_to(line_, lines); }
  static void send_to(const Endpoint& endpoint, std::string_view lines);
  std::string get(std::string_view target) const;  // returns the body; expects status 200
  // Runs `statmill`. Its environment has the URL and the admin socket of this server.
  Ended cli(std::vector<std::string> arguments) const;
  // Returns one value of /metrics, or 0 if it is absent. The name includes the labels.
  double metric(std::string_view name) const;
  // Polls /metrics until the value is at least `least`. Returns false after kProcessTimeout.
  bool wait_for_metric(std::string_view name, double least) const;
  // Waits until everything accepted so far is in the journal, that is, until two more ticks are committed.
  void wait_until_durable() const;
  // Returns the totals of every series whose name matches.
  std::map<std::string, SeriesTotals> totals(std::string_view glob) const;
  // Checks invariant C: received == accepted + refused on every listener. Returns an empty text, or one line
  // per listener that breaks it.
  std::string conservation() const;

 private:
  std::string bin_;
  const std::vector<std::string> options_;
  size_t open_files_max_ = 0;  // 0: no limit
  TempDirectory directory_;
  std::unique_ptr<Process> process_;
  std::string ready_;  // the server's log line with its endpoints
  Endpoint line_;
  Endpoint http_;
  Endpoint agent_;
  std::string admin_socket_;
};

}  // namespace statmill
