#include "agent/agent.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include "agent/agent_metrics.h"
#include "agent/capabilities.h"
#include "agent/host_boot.h"
#include "base/hash.h"
#include "base/net/watchdog_thread.h"
#include "base/program.h"
#include "base/running.h"
#include "ingest/loop_lag.h"
#include "ingest/program_metrics.h"

namespace statmill {
namespace {

// An idle agent costs mostly that its threads wake up: 10 us each, and 100 us in some virtual machines. So it
// looks no more often than it takes to see what hangs in time.
WatchdogOptions seldom(WatchdogOptions options) {
  options.look = std::max(options.hang / 4, Duration{1});
  options.ping = std::max(options.hang / 2, Duration{1});
  return options;
}

OutboxOptions outbox_options(const AgentConfig& config, const Clock& clock) {
  OutboxOptions options = config.outbox;
  options.host = config.host;
  options.boot = [root = config.proc_root, &clock] { return read_host_boot(root, clock.wall()); };
  options.seed = hash_name(config.host) ^ static_cast<uint64_t>(::getpid());
  return options;
}

}  // namespace

Status check_agent_files(const AgentConfig& config) {
  if (Status outbox = check_outbox_options(config.outbox); !outbox) return outbox;
  return check_gateway_options(config.gateway, config.outbox);
}

Agent::Agent(const AgentConfig& config, Log& log, const Clock& clock)
    : log_(log),
      main_loop_(log),
      sampler_(config, log, clock),
      watchdog_interval_(seldom(config.watchdog).look),
      watchdog_(seldom(config.watchdog), watchdog_services(clock)),
      outbox_({log, clock, watchdog_}, outbox_options(config, clock)),
      ports_(config, {main_loop_.loop(), local_registry_, clock, log, watchdog_},
             [this](LineBatch batch) { outbox_.send(std::move(batch)); },
             {.metrics = [this] { return metrics(); },
              .hindsight = config.hindsight.is_on() ? [this] { return hindsight_->recording(); }
                                                    : std::function<Recording()>()}),
      scrape_(config.scrape),
      stop_timer_(main_loop_.loop()),
      timer_(
          main_loop_.loop(), [this] { return sampler_.until_next(); },
          [this] {
            const Running running("a collection");
            sampler_.announce_families_hourly();
            LineBatch batch = collect();
            if (hindsight_) remember(batch);
            outbox_.send(std::move(batch));
          }) {
  if (config.hindsight.is_on() && !config.once) {
    hindsight_.emplace(config, Hindsight::Services{main_loop_.loop(), log, clock}, sampler_.self_report());
    main_loop_.save_at_signal([this] { hindsight_->save("SIGUSR2"); });
  }
  if (scrape_.is_on() && !config.once) {
    scraped_lines_.emplace(config.scrape_series, local_registry_, [this](LineBatch batch) {
      boost::asio::post(main_loop_.loop(),
                        [this, batch = std::move(batch)]() mutable { outbox_.send(std::move(batch)); });
    });
    scraper_.emplace(scrape_, Scraper::Services{*scraped_lines_, local_registry_, clock, log, &watchdog_});
  }
  register_program_metrics(local_registry_);
  add_outbox_metrics(sampler_.self_report(), outbox_);
  if (ports_.relay() != nullptr) add_relay_metrics(sampler_.self_report(), *ports_.relay());
  if (ports_.gateway() != nullptr) add_gateway_metrics(sampler_.self_report(), *ports_.gateway());
}

// A hang of the only loop is reported by the log and to the service manager; no other code could run.
Watchdog::Services Agent::watchdog_services(const Clock& clock) {
  return {clock, log_, loop_lag_recorder(local_registry_), [](std::string_view, const std::string&) {},
          [](std::string_view, const std::string&) {}};
}

std::string Agent::metrics() const {
  const Running running("/metrics");
  return prometheus_text(local_registry_.read()) + sampler_.prometheus_text();
}

std::optional<Fault> Agent::run() {
  give_up_capabilities(log_);  // before the ports open, because their threads would keep theirs
  if (Status opened = outbox_.open(); !opened) return data_fault(opened.error());
  if (Status opened = open_scraper(); !opened) return Fault{ExitCode::kUsage, opened.error()};
  if (Status opened = ports_.open(); !opened) return listen_fault(opened.error());
  collect();  // reads the first totals; the batch is incomplete without growth, so it is not sent
  outbox_.start();
  timer_.start();
  if (hindsight_) hindsight_->start();
  if (scraper_) scraper_->start();
  {
    const WatchdogThread watchdog_thread(watchdog_, log_, watchdog_interval_);
    main_loop_.run(watchdog_, "agent", [this] { stop(); });
  }
  // Destroying the hindsight would wait for its disk, however long that takes.
  if (hindsight_ && hindsight_->is_writing()) std::_Exit(EXIT_SUCCESS);
  return std::nullopt;
}

Status Agent::open_scraper() {
  if (!scraper_) return Status::ok();
  scraped_lines_->restore(outbox_.values());
  return scraper_->open();
}

std::optional<Fault> Agent::run_once() {
  give_up_capabilities(log_);
  collect();
  std::this_thread::sleep_for(sampler_.interval());
  return print(collect().text);
}

LineBatch Agent::collect() {
  LineBatch batch = sampler_.collect();
  log_.debug("collected", {{"lines", batch.lines}, {"bytes", batch.text.size()}});
  outbox_.set_notes(sampler_.notes());
  return batch;
}

void Agent::remember(const LineBatch& batch) {
  hindsight_->add(batch);
  std::string reason;
  for (const std::string& trigger : sampler_.fired()) reason += (reason.empty() ? "" : ", ") + trigger;
  if (!reason.empty()) hindsight_->save(reason);
  for (const std::string& trigger : sampler_.unread())
    log_.warn("trigger has no series so far", {{"trigger", trigger}});
}

void Agent::stop() {
  timer_.stop();
  if (hindsight_) hindsight_->stop();
  if (!scraper_) return stop_ports();
  {
    const Running running("the last scrapes");
    scraper_->stop();
  }
  // Its last lines were posted before.
  boost::asio::post(main_loop_.loop(), [this] { stop_ports(); });
}

void Agent::stop_ports() {
  ports_.stop();
  if (!hindsight_) return finish_outbox();
  hindsight_->finish(kFinishLimit, [this] { finish_outbox(); });
}

void Agent::finish_outbox() {
  stop_timer_.expires_after(kFinishLimit + kFinishGrace);
  stop_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) log_.warn("shutdown waits for the spool's disk, which hangs");
  });
  outbox_.finish(kFinishLimit, [this] { main_loop_.end(); });
}

}  // namespace statmill
