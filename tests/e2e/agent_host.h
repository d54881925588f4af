// AgentHost: a host in a test: an agent with a spool and a relay, and programs that send it samples whose
// sums are known.
//
// Between the hand-over to the relay and the spool there is a second that a kill may cost. So what was handed
// over is an upper bound; what counts is what the spool took (agent_ledger.h).
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
  // Its series are `name`.g0, `name`.e0 ...; the agent's own are host.`name`. `options` are added to the
  // agent's command line.
  AgentHost(std::string bin, std::string name, std::vector<Endpoint> servers,
            std::vector<std::string> options = {});

  // Starts the agent on the same spool as before, and waits until its relay listens.
  void start();
  // The same; false when it ends before its relay listens.
  bool try_start();
  // Of all later starts; added to ours.
  void set_environment(std::vector<std::pair<std::string, std::string>> environment) {
    environment_ = std::move(environment);
  }
  // SIGTERM, unless it has ended: what the relay has goes to the spool. The exit status.
  int stop();
  void kill();
  bool is_up() const { return agent_ != nullptr; }
  // Hands samples of the last minutes to the relay, in one connection while the agent lives: gauges and
  // events, of so many series each. False: it is gone.
  bool feed(std::mt19937_64& random, int lines);
  // Hands over so many lines that each add 1 to the event series `name`.`series`. False: it is gone.
  bool feed_ones(const std::string& series, int lines);

  const std::string& name() const { return name_; }
  std::string spool() const { return (directory_.path() / "spool").string(); }
  // By series, at most what can have come to the spool.
  const std::map<std::string, double>& handed_over() const { return handed_over_; }
  // All that its agents said; what the last that was stopped said.
  std::string said() const;
  const std::string& said_last() const { return said_last_; }

 private:
  static constexpr int kSeries = 8;

  const std::string bin_;
  const std::string name_;
  std::vector<std::string> arguments_;
  std::vector<std::pair<std::string, std::string>> environment_;
  TempDirectory directory_;
  std::unique_ptr<Process> agent_;
  TcpConnection to_relay_{Descriptor()};
  std::map<std::string, double> handed_over_;
  std::string said_before_;
  std::string said_last_;
};

}  // namespace statmill
