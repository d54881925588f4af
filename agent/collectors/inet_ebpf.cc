// TCP from eBPF: sizes of calls, round trips, connections and their states.
#include <array>

#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"
#include "bpf/tcp.h"

namespace statmill {
namespace {

// In the kernel's order (include/net/tcp_states.h), starting with 1.
constexpr std::array<std::string_view, 12> kStates = {
    "established", "syn_sent",   "syn_received", "fin_wait1", "fin_wait2", "time_wait",
    "close",       "close_wait", "last_ack",     "listen",    "closing",   "new_syn_received"};

class InetEbpf final : public BpfCollector {
 public:
  explicit InetEbpf(LoadedProbe probe) : BpfCollector("inet", std::move(probe)) {}

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
    return {};
  }
};

}  // namespace

std::unique_ptr<Collector> make_inet_ebpf(LoadedProbe probe, const BpfEnvironment&) {
  return std::make_unique<InetEbpf>(std::move(probe));
}

}  // namespace statmill
