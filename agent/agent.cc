#include "agent/agent.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <thread>

#include "agent/capabilities.h"
#include "agent/collectors/make_collectors.h"
#include "base/ending_signals.h"
#include "base/hash.h"
#include "base/net/watchdog_thread.h"
#include "base/service_manager.h"

namespace statmill {
namespace {

// A time within the interval, away from its ends, where a late timer would put two samples into one second
// and none into the next. It differs between hosts, so that they do not all collect at the same instant.
Duration phase_of(const AgentConfig& config) {
  const auto tenth = static_cast<uint64_t>(config.interval.count()) / 10;
  return Duration(static_cast<Duration::rep>(tenth + hash_name(config.prefix) % (8 * tenth)));
}

OutboxOptions outbox_options(const AgentConfig& config) {
  OutboxOptions options = config.outbox;
  options.host = config.prefix;
  options.seed = hash_name(config.prefix) ^ static_cast<uint64_t>(::getpid());
  return options;
}

Status write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{ErrorCode::kIo, std::strerror(errno)};
    text.remove_prefix(static_cast<size_t>(n));
  }
  return Status::ok();
}

int exit_status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return kExitUsage;
    case ErrorCode::kVersion:
      return kExitOtherFormat;
    default:
      return EXIT_FAILURE;
  }
}

}  // namespace

Agent::Agent(const AgentConfig& config, Log& log, const Clock& clock)
    : interval_(config.interval),
      phase_(phase_of(config)),
      log_(log),
      clock_(clock),
      proc_(config.proc_root),
      builder_(config.prefix),
      collection_(make_collectors({config, proc_, clock, log}), log),
      self_report_(config.prefix, proc_),
      watchdog_interval_(config.watchdog.look),
      watchdog_(config.watchdog, watchdog_services()),
      outbox_({log, clock, watchdog_}, outbox_options(config)),
      http_listen_(config.http_listen),
      signals_(io_, SIGTERM, SIGINT),
      hangups_(io_, SIGHUP),
      stop_timer_(io_),
      timer_(
          io_, [this] { return until_next(); },
          [this] {
            const Running running("a collection");
            outbox_.send(collect());
            self_report_.sent();
          }) {
  self_report_.add_total("agent.lines_spooled", "Lines appended to the spool.",
                         [this] { return outbox_.figures().lines_spooled; });
  self_report_.add_total("agent.lines_acknowledged",
                         "Lines acknowledged by servers, summed over all servers.",
                         [this] { return outbox_.figures().lines_acknowledged; });
  self_report_.add_total("agent.lines_refused", "Acknowledged lines that a server refused.",
                         [this] { return outbox_.figures().lines_refused; });
  self_report_.add_gauge("agent.clock_difference_s",
                         "How far the clock is ahead of the server's; the largest difference of several.",
                         [this] {
                           const auto ahead = outbox_.figures().clock_ahead;
                           if (!ahead) return std::numeric_limits<double>::quiet_NaN();
                           return std::chrono::duration<double>(*ahead).count();
                         });
  self_report_.add_total("agent.lines_dropped", "Lines that a server will not get.",
                         [this] { return outbox_.figures().lines_dropped; });
  self_report_.add_total("agent.batches_damaged", "Batches in the spool that could not be read.",
                         [this] { return outbox_.figures().batches_damaged; });
  self_report_.add_gauge("agent.spool_bytes", "Size of the spool, including acknowledged batches.",
                         [this] { return static_cast<double>(outbox_.figures().spool_bytes); });
  self_report_.add_gauge("agent.spool_wait_s",
                         "How long the oldest lines have waited for a spool whose disk hangs or is slow.",
                         [this] { return std::chrono::duration<double>(outbox_.waiting_for()).count(); });
  self_report_.add_total("agent.spool_failures", "Failed writes of the spool.",
                         [this] { return outbox_.figures().sync_failures; });
  self_report_.add_total("agent.gaps_reported", "Gaps of lost lines reported to servers.",
                         [this] { return outbox_.figures().gaps_reported; });
  self_report_.add_total("agent.reconnects", "Connections after the first.",
                         [this] { return outbox_.figures().reconnects; });
  self_report_.add_total("agent.total_resets", "Totals that were lower than their previous value.",
                         [this] { return builder_.resets(); });
  if (!config.relay.is_on() || config.once) return;
  relay_.emplace(config.relay, Relay::Services{io_, local_registry_, clock, log, &watchdog_},
                 [this](LineBatch batch) { outbox_.send(std::move(batch)); });
  report_relay();
}

void Agent::report_relay() {
  self_report_.add_total("agent.relay.received", "Samples received from programs of this host.",
                         [this] { return relay_->samples_received(); });
  self_report_.add_total("agent.relay.refused", "Received samples that were refused.",
                         [this] { return relay_->samples_refused(); });
}

// Opens the ports and logs their addresses, as a server does.
Status Agent::listen() {
  if (relay_) {
    if (Status opened = relay_->open(); !opened) return opened;
  }
  if (http_listen_) {
    if (Status opened = http_.open(*http_listen_); !opened) return opened;
  }
  if (!relay_ && !http_listen_) return Status::ok();
  const auto text = [](const Endpoint& endpoint) {
    return endpoint.host.empty() ? std::string("off") : endpoint.text();
  };
  const Relay::Ports ports = relay_ ? relay_->ports() : Relay::Ports{};
  log_.info("ready", {{"line", text(ports.line)},
                      {"graphite", text(ports.graphite)},
                      {"statsd", text(ports.statsd)},
                      {"http", text(http_.endpoint())}});
  return Status::ok();
}

// A hang of the only loop is reported by the log and to the service manager; no other code could run.
Watchdog::Services Agent::watchdog_services() {
  return {clock_, log_,
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
  return prometheus_text(local_registry_.read()) + self_report_.prometheus_text() +
         prometheus_text(latest_.readings());
}

int Agent::run() {
  give_up_capabilities(log_);  // before listen(), because its threads would keep theirs
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    log_.info("stopping", {{"signal", signal}});
    service_manager::stopping();
    stop();
  });
  ignore_hangup();
  if (const Status opened = outbox_.open(); !opened) {
    log_.error("cannot send", {{"reason", opened.error().message}});
    return exit_status_of(opened.error().code);
  }
  if (const Status opened = listen(); !opened) {
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
  std::this_thread::sleep_for(interval_);
  if (const Status written = write_all(collect().text); !written) {
    log_.error("cannot print", {{"reason", written.error().message}});
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

LineBatch Agent::collect() {
  const SteadyTime now = clock_.steady();
  builder_.begin(clock_.wall());
  latest_.begin();
  collection_.collect(now, http_listen_ ? static_cast<MetricSink&>(latest_) : builder_);
  outbox_.set_notes(collection_.notes());
  self_report_.report(now, builder_);
  return builder_.finish();
}

// Computed from wall time each time, so that a clock change or a suspend costs at most one interval.
Duration Agent::until_next() const {
  const Duration now = clock_.wall().time_since_epoch();
  return interval_ - (now - phase_) % interval_;
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
  http_.stop();
  if (relay_) relay_->stop();
  stop_timer_.expires_after(kFinishLimit + kFinishGrace);
  stop_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) log_.warn("shutdown waits for the spool's disk, which hangs");
  });
  outbox_.finish(kFinishLimit, [this] { io_.stop(); });
}

}  // namespace statmill
