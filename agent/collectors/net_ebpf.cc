// Network interfaces from eBPF: packets dropped by reason, interfaces that hang, and the traffic of
// containers.
#include <sys/stat.h>

#include <array>
#include <map>

#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"
#include "bpf/net.h"

namespace statmill {
namespace {

// "SKB_DROP_REASON_NO_SOCKET" -> "no_socket".
std::string reason_name(std::string_view name) {
  constexpr std::string_view kReasonPrefix = "SKB_DROP_REASON_";
  if (name.starts_with(kReasonPrefix)) name.remove_prefix(kReasonPrefix.size());
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

class NetEbpf final : public BpfCollector {
 public:
  explicit NetEbpf(LoadedProbe probe) : BpfCollector("net", std::move(probe)) {
    for (const auto& [value, name] : kernel_enum("skb_drop_reason")) {
      if (value < NET_REASONS - 1) reasons_[value] = reason_name(name);
    }
  }

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<net_bank> report(probe, "net_banks", sink);
    for (const auto& [program, direction, traffic] : kDirections) {
      report.total(program, "host.net.container_bytes", {direction},
                   [cells = traffic](const net_bank& bank) -> const __u64& { return (bank.*cells).bytes; });
      report.total(program, "host.net.container_packets", {direction},
                   [cells = traffic](const net_bank& bank) -> const __u64& { return (bank.*cells).packets; });
    }
    if (has_program(probe, "net_drop")) report_drops(report.banks(), sink);
    report.total("net_sending_timeout", "host.net.transmit_timeouts", {}, &net_bank::sending_timeouts);
    return {};
  }

 private:
  struct Direction {
    std::string_view program;
    std::string_view name;
    net_traffic net_bank::*traffic;
  };
  static constexpr Direction kDirections[] = {{"net_receive", "receive", &net_bank::received},
                                              {"net_send", "transmit", &net_bank::sent}};

  // Reasons that have not occurred get no series.
  void report_drops(std::span<net_bank> banks, MetricSink& sink) const {
    for (size_t i = 0; i < NET_REASONS; ++i) {
      const uint64_t count =
          sum_cells(banks, [i](const net_bank& bank) -> const __u64& { return bank.drops[i]; });
      if (count == 0) continue;
      const auto it = reasons_.find(i);
      const std::string name = i == NET_REASONS - 1   ? "others"
                               : it == reasons_.end() ? "reason_" + std::to_string(i)
                                                      : it->second;
      sink.total("host.net.stack_drops", {name}, count);
    }
  }

  std::map<uint64_t, std::string> reasons_;
};

}  // namespace

LoadedProbe load_net_probe(const BpfEnvironment& environment) {
  struct stat status {};
  if (::stat("/proc/self/ns/net", &status) != 0)
    return Error{ErrorCode::kUnavailable, "network namespace unknown"};
  const net_settings settings{.namespace_inode = static_cast<__u32>(status.st_ino), .reserved = 0};
  return load_bpf_probe({.subject = "net", .settings = std::as_bytes(std::span(&settings, 1))},
                        environment.log);
}

std::unique_ptr<Collector> make_net_ebpf(LoadedProbe probe, const BpfEnvironment&) {
  return std::make_unique<NetEbpf>(std::move(probe));
}

}  // namespace statmill
