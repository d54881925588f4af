#include "agent/agent.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "agent/agent_metrics.h"
#include "agent/capabilities.h"
#include "base/ending_signals.h"
#include "base/hash.h"
#include "base/net/watchdog_thread.h"
#include "base/service_manager.h"

namespace statmill {
namespace {

OutboxOptions outbox_options(const AgentConfig& config) {
  OutboxOptions options = config.outbox;
  options.host = config.prefix;
  options.seed = hash_name(config.prefix) ^ static_cast<uint64_t>(::getpid());
  return options;
}

int exit_code_of(ErrorCode code) {
  if (code == ErrorCode::kInvalid) return kExitUsage;
  return code == ErrorCode::kVersion ? kExitOtherFormat : EXIT_FAILURE;
}

}  // namespace

Agent::Agent(const AgentConfig& config, Log& log, const Clock& clock)
    : log_(log),
      sampler_(config, log, clock),
      watchdog_interval_(config.watchdog.look),
      watchdog_(config.watchdog, watchdog_services(clock)),
      outbox_({log, clock, watchdog_}, outbox_options(config)),
      ports_(
          config, {io_, local_registry_, clock, log, watchdog_},
          [this](LineBatch batch) { outbox_.send(std::move(batch)); }, [this] { return metrics(); }),
      signals_(io_, SIGTERM, SIGINT),
      hangups_(io_, SIGHUP),
      stop_timer_(io_),
      timer_(
          io_, [this] { return sampler_.until_next(); },
          [this] {
            const Running running("a collection");
            outbox_.send(collect());
            sampler_.self_report().sent();
          }) {
  add_outbox_metrics(sampler_.self_report(), outbox_);
  if (ports_.relay() != nullptr) add_relay_metrics(sampler_.self_report(), *ports_.relay());
}

// A hang of the only loop is reported by the log and to the service manager; no other code could run.
Watchdog::Services Agent::watchdog_services(const Clock& clock) {
  return {clock, log_,
          [this](std::string_view loop, std::chrono::nanoseconds lag) {
            local_registry_
                .histogram("statmill.loop_lag_ns", "How late an event loop served a ping, in nanoseconds.",
                           {{"loop", std::string(loop)}})
                .record(static_cast<uint64_t>(lag.count()));
          },
          [](std::string_view, const std::string&) {}, [](std::string_view, const std::string&) {}};
}

std::string Agent::metrics() const {
  const Running running("/metrics");
  return prometheus_text(local_registry_.read()) + sampler_.prometheus_text();
}

int Agent::run() {
  give_up_capabilities(log_);  // before the ports open, because their threads would keep theirs
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    log_.info("stopping", {{"signal", signal}});
    service_manager::stopping();
    stop();
  });
  ignore_hangup();
  if (const Status opened = outbox_.open(); !opened) {
    log_.error("cannot send", {{"reason", opened.error().message}});
    return exit_code_of(opened.error().code);
  }
  if (const Status opened = ports_.open(); !opened) {
    log_.error("cannot listen", {{"reason", opened.error().message}});
    return EXIT_FAILURE;
  }
  collect();  // reads the first totals; the batch is incomplete without growth, so it is not sent
  outbox_.start();
  timer_.start();
  service_manager::ready();
  {
    const WatchdogThread watchdog_thread(watchdog_, watchdog_interval_);
    const LoopWatch watch(&watchdog_, io_, "agent");
    const EndingSignalsAccepted accepted;
    io_.run();
  }
  if (outbox_.figures().is_resolving) {
    // Destroying the resolver would wait for the name lookup, however long that takes.
    log_.warn("stopping during a name lookup");
    std::_Exit(EXIT_SUCCESS);
  }
  return EXIT_SUCCESS;
}

int Agent::run_once() {
  hangups_.clear();
  signals_.clear();  // a signal ends the process, as there is nothing to finish
  give_up_capabilities(log_);
  collect();
  std::this_thread::sleep_for(sampler_.interval());
  if (std::fputs(collect().text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    log_.error("cannot print", {{"reason", std::strerror(errno)}});
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

LineBatch Agent::collect() {
  LineBatch batch = sampler_.collect();
  outbox_.set_notes(sampler_.notes());
  return batch;
}

void Agent::ignore_hangup() {
  hangups_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    log_.warn("SIGHUP is ignored: settings are read only at the start");
    ignore_hangup();
  });
}

void Agent::stop() {
  timer_.stop();
  ports_.stop();
  stop_timer_.expires_after(kFinishLimit + kFinishGrace);
  stop_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) log_.warn("shutdown waits for the spool's disk, which hangs");
  });
  outbox_.finish(kFinishLimit, [this] { io_.stop(); });
}

}  // namespace statmill
