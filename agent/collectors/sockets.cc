#include "agent/collectors/sockets.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "agent/collectors/proc_text.h"
#include "agent/collectors/slot_cadence.h"
#include "base/number_text.h"

namespace statmill {
namespace {

struct SocketProtocol {
  std::string_view title;     // of its line in sockstat and, with a 6, in sockstat6
  std::string_view protocol;  // the value of the tag
};
constexpr SocketProtocol kProtocols[] = {
    {"TCP", "tcp"}, {"UDP", "udp"}, {"UDPLITE", "udplite"}, {"RAW", "raw"}};

class SocketsCollector final : public Collector {
 public:
  SocketsCollector(ProcReader& proc, const Clock& clock, SocketsOptions options)
      : proc_(proc),
        clock_(clock),
        options_(std::move(options)),
        page_(static_cast<double>(::sysconf(_SC_PAGESIZE))) {}

  std::string_view name() const override { return "sockets"; }

  CollectorStatus collect(MetricSink& sink) override {
    std::string missing;
    const std::optional<Table> table = read_text(sink, missing);
    if (cadence_.is_due(clock_.wall()) || options_.is_each_time) {
      no_states_ = report_states(table, sink);
    } else {
      for (const char* name : {"host.tcp.connections;", "host.tcp.listen_queue"}) sink.keep(name);
    }
    if (!table && !no_states_.empty()) return CollectorStatus::unavailable(missing + "; " + no_states_);
    if (missing.empty() && no_states_.empty()) return {};
    return CollectorStatus::degraded(missing + (missing.empty() || no_states_.empty() ? "" : "; ") +
                                     no_states_);
  }

 private:
  // What sockstat has of the sockets in the tables of TCP.
  struct Table {
    uint64_t sockets = 0;  // of both versions of IP, as far as it is known
    std::optional<uint64_t> time_wait;
  };

  // Appends what cannot be read to `missing`. Returns nullopt if that is all.
  std::optional<Table> read_text(MetricSink& sink, std::string& missing) {
    const Result<std::string_view> text = proc_.read("net/sockstat");
    if (!text) {
      missing = text.error().message;
      return std::nullopt;
    }
    const auto value = [&](std::string_view title, std::string_view key) {
      return find_number_of(*text, title, key);
    };
    const auto gauge = [&](GaugeFamily family, std::optional<uint64_t> count) {
      if (count) sink.gauge(family, static_cast<double>(*count));
    };
    Table table;
    table.time_wait = value("TCP", "tw");
    gauge("host.sockets.used", value("sockets", "used"));
    gauge("host.sockets.tcp_orphans", value("TCP", "orphan"));
    gauge("host.sockets.tcp_time_wait", table.time_wait);
    gauge("host.sockets.tcp_allocated", value("TCP", "alloc"));
    for (const SocketProtocol& one : kProtocols) {
      const std::optional<uint64_t> pages = value(one.title, "mem");
      if (pages) sink.gauge("host.sockets.memory_bytes", {one.protocol}, static_cast<double>(*pages) * page_);
    }
    const std::optional<uint64_t> in_use = report_version(*text, "ipv4", "", sink);
    if (!in_use) missing = "net/sockstat is not as expected";
    const Result<std::string_view> text6 = proc_.read("net/sockstat6");  // a kernel without IPv6 has none
    const std::optional<uint64_t> in_use6 = text6 ? report_version(*text6, "ipv6", "6", sink) : std::nullopt;
    table.sockets = in_use.value_or(0) + in_use6.value_or(0) + table.time_wait.value_or(0);
    return table;
  }

  // Returns how many TCP sockets are in use.
  static std::optional<uint64_t> report_version(std::string_view text, std::string_view version,
                                                const std::string& suffix, MetricSink& sink) {
    for (const SocketProtocol& one : kProtocols) {
      const auto count = find_number_of(text, std::string(one.title) + suffix, "inuse");
      if (count) sink.gauge("host.sockets.in_use", {one.protocol, version}, static_cast<double>(*count));
    }
    const auto fragments = find_number_of(text, "FRAG" + suffix, "inuse");
    if (fragments) sink.gauge("host.sockets.fragments", {version}, static_cast<double>(*fragments));
    const auto bytes = find_number_of(text, "FRAG" + suffix, "memory");
    if (bytes) sink.gauge("host.sockets.fragment_bytes", {version}, static_cast<double>(*bytes));
    return find_number_of(text, "TCP" + suffix, "inuse");
  }

  // Returns why some states are missing; empty if none is.
  std::string report_states(const std::optional<Table>& table, MetricSink& sink) {
    const auto report = [&](size_t state, uint64_t count) {
      sink.gauge("host.tcp.connections", {kTcpStates.at(state)}, static_cast<double>(count));
    };
    if (table && table->sockets > kTcpTableMax) return "more than 200,000 TCP sockets: not counted by state";
    // ESTABLISHED and CLOSE_WAIT together.
    const std::optional<uint64_t> current = read_current();
    const Result<TcpSockets> sockets = options_.count_tcp();
    if (!sockets) return sockets.error().message;
    for (size_t state = 0; state < kTcpStates.size(); ++state) {
      if (state != kTcpEstablished && state != kTcpTimeWait) report(state, sockets->count.at(state));
    }
    // The numbers are not of the same instant.
    const auto rest = [](uint64_t all, uint64_t part) { return all - std::min(all, part); };
    if (current) report(kTcpEstablished, rest(*current, sockets->count[kTcpCloseWait]));
    if (table && table->time_wait) report(kTcpTimeWait, rest(*table->time_wait, sockets->abandoned));
    sink.gauge("host.tcp.listen_queue", static_cast<double>(sockets->waiting));
    if (sockets->count[kTcpListen] != 0)
      sink.gauge("host.tcp.listen_queue_percent", sockets->fullest_percent);
    return current ? "" : "net/snmp has no CurrEstab";
  }

  std::optional<uint64_t> read_current() {
    const Result<std::string_view> text = proc_.read("net/snmp");
    return text ? find_column(*text, "Tcp", "CurrEstab") : std::nullopt;
  }

  ProcReader& proc_;
  const Clock& clock_;
  SlotCadence cadence_;
  const SocketsOptions options_;
  const double page_;
  std::string no_states_;  // why the last count by state lacks some; empty if it does not
};

}  // namespace

std::unique_ptr<Collector> make_sockets_collector(ProcReader& proc, const Clock& clock,
                                                  SocketsOptions options) {
  return std::make_unique<SocketsCollector>(proc, clock, std::move(options));
}

}  // namespace statmill
