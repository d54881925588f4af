#include "agent/agent_metrics.h"

#include <chrono>
#include <limits>
#include <optional>

namespace statmill {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double or_unknown(std::optional<uint64_t> bytes) { return bytes ? static_cast<double>(*bytes) : kUnknown; }

double seconds_ahead(const OutboxFigures& figures) {
  if (!figures.clock_ahead) return kUnknown;
  return std::chrono::duration<double>(*figures.clock_ahead).count();
}

}  // namespace

void add_outbox_metrics(SelfReport& report, const OutboxThread& outbox) {
  report.add_total("host.agent.lines_spooled", [&outbox] { return outbox.figures().lines_spooled; });
  report.add_total("host.agent.lines_acknowledged",
                   [&outbox] { return outbox.figures().lines_acknowledged; });
  report.add_total("host.agent.lines_refused", [&outbox] { return outbox.figures().lines_refused; });
  report.add_gauge("host.agent.clock_difference_s", [&outbox] { return seconds_ahead(outbox.figures()); });
  report.add_total("host.agent.lines_dropped", [&outbox] { return outbox.figures().lines_dropped; });
  report.add_total("host.agent.batches_damaged", [&outbox] { return outbox.figures().batches_damaged; });
  report.add_gauge("host.agent.backlog_batches",
                   [&outbox] { return static_cast<double>(outbox.figures().backlog_batches); });
  report.add_gauge("host.agent.spool_bytes",
                   [&outbox] { return static_cast<double>(outbox.figures().spool_bytes); });
  report.add_gauge("host.agent.spool_disk_free_bytes",
                   [&outbox] { return or_unknown(outbox.figures().spool_disk_free_bytes); });
  report.add_gauge("host.agent.spool_wait_s",
                   [&outbox] { return std::chrono::duration<double>(outbox.waiting_for()).count(); });
  report.add_total("host.agent.spool_failures", [&outbox] { return outbox.figures().sync_failures; });
  report.add_total("host.agent.gaps_reported", [&outbox] { return outbox.figures().gaps_reported; });
  report.add_total("host.agent.reconnects", [&outbox] { return outbox.figures().reconnects; });
}

void add_relay_metrics(SelfReport& report, const Relay& relay) {
  report.add_total("host.agent.relay_received", [&relay] { return relay.samples_received(); });
  report.add_total("host.agent.relay_refused", [&relay] { return relay.samples_refused(); });
}

void add_gateway_metrics(SelfReport& report, const GatewayPort& gateway) {
  const auto gauge = [&](GaugeFamily family, uint64_t GatewayFigures::*figure) {
    report.add_gauge(family, [&gateway, figure] { return static_cast<double>(gateway.figures().*figure); });
  };
  const auto total = [&](EventFamily family, uint64_t GatewayFigures::*figure) {
    report.add_total(family, [&gateway, figure] { return gateway.figures().*figure; });
  };
  gauge("host.agent.gateway_agents", &GatewayFigures::agents);
  total("host.agent.gateway_lines", &GatewayFigures::lines);
  total("host.agent.gateway_lines_dropped", &GatewayFigures::lines_dropped);
  gauge("host.agent.gateway_lines_waiting", &GatewayFigures::lines_waiting);
  gauge("host.agent.gateway_spool_bytes", &GatewayFigures::spool_bytes);
  total("host.agent.gateway_failures", &GatewayFigures::failures);
}

}  // namespace statmill
