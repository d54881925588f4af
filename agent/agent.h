// Agent: constructs every part of the program, runs until a signal arrives, and shuts the parts down in
// reverse order.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <string>

#include "agent/agent_ports.h"
#include "agent/batch_builder.h"
#include "agent/config.h"
#include "agent/delivery/outbox_thread.h"
#include "agent/recording/hindsight.h"
#include "agent/sampler.h"
#include "agent/scrape/scraped_lines.h"
#include "base/clock.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "base/net/main_loop.h"
#include "base/net/repeating_timer.h"
#include "base/net/watchdog.h"
#include "base/result.h"
#include "ingest/scrape/scraper.h"
#include "statmill/registry.h"

namespace statmill {

// Reads the files that the settings name, as a start does, and no others. Errors: kInvalid.
Status check_agent_files(const AgentConfig& config);

// Confined to one thread.
class Agent {
 public:
  static constexpr Duration kFinishLimit{2000};
  static constexpr Duration kFinishGrace{
      1000};  // after this the log reports that shutdown waits for the disk

  Agent(const AgentConfig& config, Log& log, const Clock& clock);

  // Collects and sends once per interval until SIGTERM or SIGINT (MainLoop::run). Requires: prepare_service()
  // was called before the agent was constructed. Returns nullopt on success.
  std::optional<Fault> run();
  // Collects twice, one interval apart, and prints the lines of the second collection to standard output.
  // Returns nullopt on success.
  std::optional<Fault> run_once();

 private:
  LineBatch collect();
  // Adds a collection to the hindsight, and saves it if a trigger fires.
  void remember(const LineBatch& batch);
  Status open_scraper();
  void stop();
  void stop_ports();
  void finish_outbox();
  std::string metrics() const;
  Watchdog::Services watchdog_services(const Clock& clock);

  Log& log_;
  MainLoop main_loop_;
  Sampler sampler_;
  // Metrics of the process, the relay and /metrics. A server uses the same names, so they are not sent to it.
  Registry local_registry_;
  const Duration watchdog_interval_;  // how often the watchdog checks the threads
  Watchdog watchdog_;
  OutboxThread outbox_;
  std::optional<Hindsight> hindsight_;
  AgentPorts ports_;
  const ScrapeOptions scrape_;
  std::optional<ScrapedLines> scraped_lines_;  // nullopt: nothing is scraped
  std::optional<Scraper> scraper_;
  boost::asio::steady_timer stop_timer_;
  RepeatingTimer timer_;
};

}  // namespace statmill
