// Agent: constructs every part of the program, runs until a signal arrives, and shuts the parts down in
// reverse order.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <string>

#include "agent/agent_ports.h"
#include "agent/batch_builder.h"
#include "agent/config.h"
#include "agent/delivery/outbox_thread.h"
#include "agent/sampler.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/net/repeating_timer.h"
#include "base/net/watchdog.h"
#include "statmill/registry.h"

namespace statmill {

// Exit codes after which a restart cannot help: the settings are wrong; the spool has another format version.
inline constexpr int kExitUsage = 2;
inline constexpr int kExitOtherFormat = 5;

// Confined to one thread.
class Agent {
 public:
  static constexpr Duration kFinishLimit{2000};
  static constexpr Duration kFinishGrace{
      1000};  // after this the log reports that shutdown waits for the disk

  Agent(const AgentConfig& config, Log& log, const Clock& clock);

  // Collects and sends once per interval until SIGTERM or SIGINT. SIGHUP is logged and otherwise ignored. The
  // program must block all three signals before it constructs the agent (base/ending_signals.h). Returns the
  // exit code.
  int run();
  // Collects twice, one interval apart, and prints the lines of the second collection to standard output.
  // Returns the exit code.
  int run_once();

 private:
  LineBatch collect();
  void ignore_hangup();
  void stop();
  std::string metrics() const;
  Watchdog::Services watchdog_services(const Clock& clock);

  Log& log_;
  boost::asio::io_context io_{1};
  Sampler sampler_;
  // Counters of the relay and of /metrics. A server uses the same names, so they are not sent to it.
  Registry local_registry_;
  const Duration watchdog_interval_;  // how often the watchdog checks the threads
  Watchdog watchdog_;
  OutboxThread outbox_;
  AgentPorts ports_;
  boost::asio::signal_set signals_;
  boost::asio::signal_set hangups_;
  boost::asio::steady_timer stop_timer_;
  RepeatingTimer timer_;
};

}  // namespace statmill
