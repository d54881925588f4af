// The tcp collector: bytes, round trips, connections, retransmits and resets.
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

class TcpCollector final : public BpfCollector {
 public:
  explicit TcpCollector(LoadedProbe probe) : BpfCollector("tcp", std::move(probe)) {}

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<tcp_bank> report(probe, "tcp_banks", sink);
    report.distribution("tcp_send", "tcp.send_bytes", &tcp_bank::sent);
    report.total("tcp_send", "tcp.bytes_sent",
                 [](const tcp_bank& bank) -> const __u64& { return bank.sent.sum; });
    report.distribution("tcp_receive", "tcp.receive_bytes", &tcp_bank::received);
    report.total("tcp_receive", "tcp.bytes_received",
                 [](const tcp_bank& bank) -> const __u64& { return bank.received.sum; });
    report.distribution("tcp_acknowledged", "tcp.srtt_us", &tcp_bank::srtt_us);
    report.distribution("tcp_acknowledged", "tcp.rtt_deviation_us", &tcp_bank::rtt_deviation_us);
    report.distribution("tcp_state", "tcp.connect_ns", &tcp_bank::connect_ns);
    report.total("tcp_state", "tcp.connects_failed", &tcp_bank::connects_failed);
    report.total("tcp_state", "tcp.accepted", &tcp_bank::accepted);
    report.total("tcp_state", "tcp.discarded", &tcp_bank::discarded);
    for (size_t i = 0; i < kStates.size(); ++i) {
      report.total("tcp_state", "tcp.states." + std::string(kStates[i]),
                   [i](const tcp_bank& bank) -> const __u64& { return bank.states[i + 1]; });
    }
    report.total("tcp_retransmit", "tcp.retransmits", &tcp_bank::retransmits);
    report.total("tcp_retransmit_synack", "tcp.synack_retransmits", &tcp_bank::synack_retransmits);
    report.total("tcp_send_reset", "tcp.resets_sent", &tcp_bank::resets_sent);
    report.total("tcp_receive_reset", "tcp.resets_received", &tcp_bank::resets_received);
    return {};
  }
};

}  // namespace

std::unique_ptr<Collector> make_tcp_collector(LoadedProbe probe, const BpfEnvironment&) {
  return std::make_unique<TcpCollector>(std::move(probe));
}

}  // namespace statmill
