// The Internet protocols from text: the statistics of IPv4, ICMP, UDP and TCP (RFC 4293, 4022, 4113 and the
// kernel's own) in /proc/net/snmp and /proc/net/netstat.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"
#include "base/number_text.h"

namespace statmill {
namespace {

// The fields for errors, and for the total traffic. Those of a group are adjacent.
struct Field {
  std::string_view group;
  std::string_view name;
  EventFamily family;
};
constexpr Field kFields[] = {
    {"Ip", "InReceives", "host.ip.in_receives"},
    {"Ip", "InHdrErrors", "host.ip.in_header_errors"},
    {"Ip", "InAddrErrors", "host.ip.in_address_errors"},
    {"Ip", "InDiscards", "host.ip.in_discards"},
    {"Ip", "OutRequests", "host.ip.out_requests"},
    {"Ip", "OutDiscards", "host.ip.out_discards"},
    {"Ip", "OutNoRoutes", "host.ip.out_no_routes"},
    {"Ip", "ReasmFails", "host.ip.reassembly_fails"},
    {"Icmp", "InMsgs", "host.icmp.in_messages"},
    {"Icmp", "InErrors", "host.icmp.in_errors"},
    {"Icmp", "OutMsgs", "host.icmp.out_messages"},
    {"Icmp", "InDestUnreachs", "host.icmp.in_unreachables"},
    {"Tcp", "ActiveOpens", "host.tcp.active_opens"},
    {"Tcp", "PassiveOpens", "host.tcp.passive_opens"},
    {"Tcp", "AttemptFails", "host.tcp.attempt_fails"},
    {"Tcp", "EstabResets", "host.tcp.established_resets"},
    {"Tcp", "InSegs", "host.tcp.in_segments"},
    {"Tcp", "OutSegs", "host.tcp.out_segments"},
    {"Tcp", "RetransSegs", "host.tcp.retransmits"},
    {"Tcp", "InErrs", "host.tcp.in_errors"},
    {"Tcp", "OutRsts", "host.tcp.resets_sent"},
    {"Tcp", "InCsumErrors", "host.tcp.in_checksum_errors"},
    {"Udp", "InDatagrams", "host.udp.in_datagrams"},
    {"Udp", "NoPorts", "host.udp.no_ports"},
    {"Udp", "InErrors", "host.udp.in_errors"},
    {"Udp", "OutDatagrams", "host.udp.out_datagrams"},
    {"Udp", "RcvbufErrors", "host.udp.receive_buffer_errors"},
    {"Udp", "SndbufErrors", "host.udp.send_buffer_errors"},
    {"Udp", "InCsumErrors", "host.udp.in_checksum_errors"},
    {"Udp", "MemErrors", "host.udp.memory_errors"},
    {"TcpExt", "SyncookiesSent", "host.tcp.syncookies_sent"},
    {"TcpExt", "SyncookiesFailed", "host.tcp.syncookies_failed"},
    {"TcpExt", "ListenOverflows", "host.tcp.listen_overflows"},
    {"TcpExt", "ListenDrops", "host.tcp.listen_drops"},
    {"TcpExt", "PruneCalled", "host.tcp.prunes"},
    {"TcpExt", "TW", "host.tcp.time_waits"},
    {"TcpExt", "TCPTimeouts", "host.tcp.timeouts"},
    {"TcpExt", "TCPLossProbes", "host.tcp.loss_probes"},
    {"TcpExt", "TCPLostRetransmit", "host.tcp.lost_retransmits"},
    {"TcpExt", "TCPFastRetrans", "host.tcp.fast_retransmits"},
    {"TcpExt", "TCPSlowStartRetrans", "host.tcp.slow_start_retransmits"},
    {"TcpExt", "TCPSynRetrans", "host.tcp.syn_retransmits"},
    {"TcpExt", "TCPSpuriousRTOs", "host.tcp.spurious_timeouts"},
    {"TcpExt", "TCPDSACKRecv", "host.tcp.duplicate_sacks"},
    {"TcpExt", "TCPOFOQueue", "host.tcp.out_of_order"},
    {"TcpExt", "TCPBacklogDrop", "host.tcp.backlog_drops"},
    {"TcpExt", "TCPRcvQDrop", "host.tcp.receive_queue_drops"},
    {"TcpExt", "TCPZeroWindowDrop", "host.tcp.zero_window_drops"},
    {"TcpExt", "TCPAbortOnTimeout", "host.tcp.aborts_on_timeout"},
    {"TcpExt", "TCPAbortOnMemory", "host.tcp.aborts_on_memory"},
    {"TcpExt", "TCPAbortOnData", "host.tcp.aborts_on_data"},
    {"TcpExt", "TCPAbortOnClose", "host.tcp.aborts_on_close"},
    {"TcpExt", "TCPMemoryPressures", "host.tcp.memory_pressures"},
    {"TcpExt", "TCPReqQFullDrop", "host.tcp.request_queue_full_drops"},
    {"TcpExt", "TCPReqQFullDoCookies", "host.tcp.request_queue_full_cookies"},
    {"IpExt", "InOctets", "host.ip.in_bytes"},
    {"IpExt", "OutOctets", "host.ip.out_bytes"},
    {"IpExt", "InNoRoutes", "host.ip.in_no_routes"},
    {"IpExt", "InTruncatedPkts", "host.ip.in_truncated"},
    {"IpExt", "InCsumErrors", "host.ip.in_checksum_errors"},
};

class InetText final : public Collector {
 public:
  explicit InetText(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "inet"; }

  CollectorStatus collect(MetricSink& sink) override {
    std::string missing;
    const size_t found = read("net/snmp", sink, missing) + read("net/netstat", sink, missing);
    if (found == 0) return CollectorStatus::unavailable("missing:" + missing);
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("missing:" + missing);
  }

 private:
  // Reads pairs of lines with the same first word: names, then numbers. Returns how many
  // numbers were reported.
  size_t read(const std::string& file, MetricSink& sink, std::string& missing) {
    const Result<std::string_view> text = proc_.read(file);
    if (!text) {
      missing.append(" ").append(text.error().message);
      return 0;
    }
    size_t found = 0;
    std::string_view rest = *text;
    while (!rest.empty()) {
      std::string_view names = next_line(rest);
      if (rest.empty()) break;
      std::string_view numbers = next_line(rest);
      const std::string_view title = next_word(names);
      if (next_word(numbers) != title || !title.ends_with(':')) continue;
      found += report(title.substr(0, title.size() - 1), names, numbers, sink);
    }
    if (found == 0) missing.append(" ").append(file).append(" is not as expected");
    return found;
  }

  // The line of names is the same each time, so its meaning is cached.
  struct Columns {
    std::string names;
    std::vector<const Field*> fields;  // of each column; null: not reported
  };

  size_t report(std::string_view group, std::string_view names, std::string_view numbers, MetricSink& sink) {
    const auto field = std::find_if(std::begin(kFields), std::end(kFields),
                                    [&](const Field& one) { return one.group == group; });
    if (field == std::end(kFields)) return 0;
    Columns& columns = columns_[field->group];
    if (columns.names != names) columns = {std::string(names), fields_of(group, names)};
    size_t found = 0;
    for (const Field* const one : columns.fields) {
      const std::string_view word = next_word(numbers);
      if (one == nullptr) continue;
      const std::optional<uint64_t> value = parse_as<uint64_t>(word);
      if (!value) continue;
      sink.total(one->family, *value);
      ++found;
    }
    return found;
  }

  static std::vector<const Field*> fields_of(std::string_view group, std::string_view names) {
    std::vector<const Field*> fields;
    for (std::string_view name = next_word(names); !name.empty(); name = next_word(names)) {
      const auto found = std::find_if(std::begin(kFields), std::end(kFields), [&](const Field& one) {
        return one.group == group && one.name == name;
      });
      fields.push_back(found == std::end(kFields) ? nullptr : found);
    }
    return fields;
  }

  ProcReader& proc_;
  std::map<std::string_view, Columns> columns_;  // by group name
};

}  // namespace

std::unique_ptr<Collector> make_inet_text(ProcReader& proc) { return std::make_unique<InetText>(proc); }

}  // namespace statmill
