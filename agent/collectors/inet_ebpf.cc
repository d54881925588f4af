// TCP from eBPF: sizes of calls, round trips, connections and their states; and the traffic of each cgroup.
#include <array>

#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_cgroups.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"
#include "bpf/tcp.h"

namespace statmill {
namespace {

// In the kernel's order (include/net/tcp_states.h), starting with 1.
constexpr std::array<std::string_view, 12> kStates = {
    "established", "syn_sent",   "syn_received", "fin_wait1", "fin_wait2", "time_wait",
    "close",       "close_wait", "last_ack",     "listen",    "closing",   "new_syn_received"};

struct CgroupTraffic {
  void add(const tcp_cgroup& slot) {
    sent_bytes += load_cell(slot.sent_bytes);
    received_bytes += load_cell(slot.received_bytes);
  }
  uint64_t sent_bytes = 0;
  uint64_t received_bytes = 0;
};

class InetEbpf final : public BpfCollector {
 public:
  InetEbpf(LoadedProbe probe, const BpfEnvironment& environment)
      : BpfCollector("inet", std::move(probe)),
        cgroups_(find_socket_cgroups(environment.cgroup_mount), {environment.clock, environment.containers}) {
  }

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<tcp_bank> report(probe, "tcp_banks", sink);
    report.distribution("tcp_send", "host.tcp.send_bytes", {}, &tcp_bank::sent);
    report.distribution("tcp_receive", "host.tcp.receive_bytes", {}, &tcp_bank::received);
    report.distribution("tcp_acknowledged", "host.tcp.srtt_us", {}, &tcp_bank::srtt_us);
    report.distribution("tcp_acknowledged", "host.tcp.rtt_deviation_us", {}, &tcp_bank::rtt_deviation_us);
    report.distribution("tcp_state", "host.tcp.connect_ns", {}, &tcp_bank::connect_ns);
    report.total("tcp_state", "host.tcp.connects_failed", {}, &tcp_bank::connects_failed);
    report.total("tcp_state", "host.agent.ebpf_discarded", {"inet", "connect"}, &tcp_bank::discarded);
    for (size_t i = 0; i < kStates.size(); ++i) {
      report.total("tcp_state", "host.tcp.states_entered", {kStates[i]},
                   [i](const tcp_bank& bank) -> const __u64& { return bank.states[i + 1]; });
    }
    report.total("tcp_retransmit_synack", "host.tcp.synack_retransmits", {}, &tcp_bank::synack_retransmits);
    report.total("tcp_receive_reset", "host.tcp.resets_received", {}, &tcp_bank::resets_received);
    if (cgroups_.has_cgroups()) report_cgroups(probe, report.banks(), sink);
    return {};
  }

 private:
  void report_cgroups(const BpfProbe& probe, std::span<tcp_bank> banks, MetricSink& sink) {
    const bool has_sent = has_program(probe, "tcp_send");
    const bool has_received = has_program(probe, "tcp_receive");
    cgroups_.report_each<CgroupTraffic>(
        banks, &tcp_bank::cgroups,
        [&](const Cgroup& cgroup, const ContainerName& name, const CgroupTraffic& traffic) {
          const auto& [container, name_space, pod] = name;
          if (has_sent)
            sink.total("host.cgroup.net_bytes", {cgroup.tag(), container, "transmit", name_space, pod},
                       traffic.sent_bytes);
          if (has_received)
            sink.total("host.cgroup.net_bytes", {cgroup.tag(), container, "receive", name_space, pod},
                       traffic.received_bytes);
        });
    sink.total("host.agent.ebpf_slots_missed", {"inet"},
               sum_cells(banks, &tcp_bank::cgroups_missed_sending) +
                   sum_cells(banks, &tcp_bank::cgroups_missed_receiving));
  }

  BpfCgroups cgroups_;
};

}  // namespace

LoadedProbe load_inet_probe(const BpfEnvironment& environment) {
  const tcp_settings settings{
      .has_socket_cgroups = find_socket_cgroups(environment.cgroup_mount).empty() ? 0U : 1U, .reserved = 0};
  return load_bpf_probe({.subject = "tcp", .settings = std::as_bytes(std::span(&settings, 1))},
                        environment.log);
}

std::unique_ptr<Collector> make_inet_ebpf(LoadedProbe probe, const BpfEnvironment& environment) {
  return std::make_unique<InetEbpf>(std::move(probe), environment);
}

}  // namespace statmill
