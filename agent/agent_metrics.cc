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
  report.add_total("agent.lines_spooled", "Lines appended to the spool, or dropped before they reached it.",
                   [&outbox] { return outbox.figures().lines_spooled; });
  report.add_total("agent.lines_acknowledged", "Lines acknowledged by servers, summed over all servers.",
                   [&outbox] { return outbox.figures().lines_acknowledged; });
  report.add_total("agent.lines_refused", "Acknowledged lines that a server refused.",
                   [&outbox] { return outbox.figures().lines_refused; });
  report.add_gauge("agent.clock_difference_s",
                   "How far the clock is ahead of the server's; the largest difference of several.",
                   [&outbox] { return seconds_ahead(outbox.figures()); });
  report.add_total("agent.lines_dropped", "Lines that a server will not get.",
                   [&outbox] { return outbox.figures().lines_dropped; });
  report.add_total("agent.batches_damaged", "Batches in the spool that could not be read.",
                   [&outbox] { return outbox.figures().batches_damaged; });
  report.add_gauge("agent.spool_bytes", "Size of the spool, including acknowledged batches.",
                   [&outbox] { return static_cast<double>(outbox.figures().spool_bytes); });
  report.add_gauge("agent.spool_disk_free_bytes", "Bytes that can still be written to the disk of the spool.",
                   [&outbox] { return or_unknown(outbox.figures().spool_disk_free_bytes); });
  report.add_gauge("agent.spool_wait_s",
                   "How long the oldest lines have waited for a spool whose disk hangs or is slow.",
                   [&outbox] { return std::chrono::duration<double>(outbox.waiting_for()).count(); });
  report.add_total("agent.spool_failures", "Failed writes of the spool.",
                   [&outbox] { return outbox.figures().sync_failures; });
  report.add_total("agent.gaps_reported", "Gaps of lost lines reported to servers.",
                   [&outbox] { return outbox.figures().gaps_reported; });
  report.add_total("agent.reconnects", "Connections after the first.",
                   [&outbox] { return outbox.figures().reconnects; });
}

void add_relay_metrics(SelfReport& report, const Relay& relay) {
  report.add_total("agent.relay.received", "Samples received from programs of this host.",
                   [&relay] { return relay.samples_received(); });
  report.add_total("agent.relay.refused", "Received samples that were refused.",
                   [&relay] { return relay.samples_refused(); });
}

}  // namespace statmill
