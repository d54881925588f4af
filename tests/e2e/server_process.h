// ServerProcess: a statmilld under test with its own data directory and free ports, and words to speak with
// it.
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

// What the server says of one series over the last minutes, all slots together.
struct SeriesTotals {
  double count = 0;
  double sum = 0;
};

class ServerProcess {
 public:
  // `bin`: the folder of the programs. `options` are added to the command line.
  explicit ServerProcess(std::string bin, std::vector<std::string> options = {});
  ~ServerProcess();

  // Starts statmilld on the same data as before and waits until it is ready. Ports may differ each time
  // unless they are given.
  void start(uint16_t line_port = 0, uint16_t agent_port = 0,
             std::vector<std::pair<std::string, std::string>> environment = {});
  // The same; false when it ends before it is ready.
  bool try_start(uint16_t line_port, uint16_t agent_port,
                 std::vector<std::pair<std::string, std::string>> environment);
  // SIGTERM; the exit status.
  int stop();
  void kill();

  const Endpoint& line() const { return line_; }
  // Where agents send to.
  const Endpoint& agent() const { return agent_; }
  // Of a listener that `options` have switched on: "graphite" or "statsd".
  Endpoint listener(std::string_view name) const;
  const Endpoint& http() const { return http_; }
  const std::string& admin_socket() const { return admin_socket_; }
  const std::filesystem::path& data() const { return directory_.path(); }
  Process& process() { return *process_; }

  // Sends over one TCP connection and returns when the server has taken and closed it.
  void send(std::string_view lines) const { send_to(line_, lines); }
  static void send_to(const Endpoint& endpoint, std::string_view lines);
  std::string get(std::string_view target) const;  // the body; the status must be 200
  // The command line (`statmill`), which finds this server by its environment: its URL and its admin socket.
  Ended cli(std::vector<std::string> arguments) const;
  // One value of /metrics, labels included in the name; 0 when it is not there.
  double metric(std::string_view name) const;
  // Asks /metrics again and again until the value is at least so large. False: kProcessTimeout is over.
  bool wait_for_metric(std::string_view name, double least) const;
  // Until everything accepted so far is in the journal: two more ticks have been committed.
  void wait_until_durable() const;
  // Totals of every series whose name matches.
  std::map<std::string, SeriesTotals> totals(std::string_view glob) const;
  // Invariant C: received == accepted + refused on every listener. An empty text, or what is wrong.
  std::string conservation() const;

 private:
  const std::string bin_;
  const std::vector<std::string> options_;
  TempDirectory directory_;
  std::unique_ptr<Process> process_;
  std::string ready_;  // the line that says so
  Endpoint line_;
  Endpoint http_;
  Endpoint agent_;
  std::string admin_socket_;
};

}  // namespace statmill
