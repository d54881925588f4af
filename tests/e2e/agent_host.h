// AgentHost simulates one host: it runs an agent with a spool and a relay, plays the programs that send
// samples to the relay, and records the sum of what it sends.
//
// The relay hands its samples to the spool once a second, so a kill can lose the last second. What was sent
// is therefore an upper bound; tests compare the server with the content of the spool (agent_ledger.h).
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"

namespace statmill {

class AgentHost {
 public:
  // feed() sends series named `name`.g0, `name`.e0 and so on; the agent's own series start with host.`name`.
  // Adds `options` to the agent's command line.
  AgentHost(std::string bin, std::string name, std::vector<Endpoint> servers,
            std::vector<std::string> options = {});

  // Starts the agent on the spool of the previous start and waits until its relay listens.
  void start();
  // Like start(), but returns false if the agent ends before its relay listens.
  bool try_start();
  // All later starts send to these servers.
  void send_to(std::vector<Endpoint> servers) { servers_ = std::move(servers); }
  // Adds these variables to the environment of all later starts.
  void set_environment(std::vector<std::pair<std::string, std::string>> environment) {
    environment_ = std::move(environment);
  }
  // Sends SIGTERM unless the agent has ended; it then writes the relay's samples to the spool. Returns the
  // exit status.
  int stop();
  void kill();
  bool is_up() const { return agent_ != nullptr; }
  // Sends `lines` samples with times in the last minutes to the relay, over one connection per start of the
  // agent: gauges and events, kSeries series of each. Returns false if the agent has closed the connection.
  bool feed(std::mt19937_64& random, int lines);
  // Sends `lines` lines that each add 1 to the event series `name`.`series`. Returns false if the agent has
  // closed the connection.
  bool feed_ones(const std::string& series, int lines);

  const std::string& name() const { return name_; }
  // Where a gateway (--agent.listen among its options) takes other agents. Requires: it is up.
  const Endpoint& gateway() const { return gateway_; }
  std::string spool() const { return (directory_.path() / "spool").string(); }
  // The sum sent per series: an upper bound of what the spool holds.
  const std::map<std::string, double>& sent_sums() const { return sent_sums_; }
  // The standard error of all runs of the agent, and of the run that stop() ended last.
  std::string said() const;
  const std::string& said_last() const { return said_last_; }

 private:
  static constexpr int kSeries = 8;

  const std::string bin_;
  const std::string name_;
  std::vector<Endpoint> servers_;
  std::vector<std::string> arguments_;  // without --server
  std::vector<std::pair<std::string, std::string>> environment_;
  TempDirectory directory_;
  std::unique_ptr<Process> agent_;
  TcpConnection to_relay_{Descriptor()};
  Endpoint gateway_;
  std::map<std::string, double> sent_sums_;
  std::string said_before_;
  std::string said_last_;
};

}  // namespace statmill
