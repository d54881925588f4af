// The net collector: packets and bytes of each network interface, and packets dropped by reason.
#include <net/if.h>
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
  return series_part(name);
}

class NetCollector final : public BpfCollector {
 public:
  explicit NetCollector(LoadedProbe probe) : BpfCollector("net", std::move(probe)) {
    for (const auto& [value, name] : kernel_enum("skb_drop_reason")) {
      if (value < NET_REASONS - 1) reasons_[value] = reason_name(name);
    }
  }

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<net_bank> report(probe, "net_banks", sink);
    if (has_program(probe, "net_receive")) report_direction(report.banks(), &net_bank::received, "rx", sink);
    if (has_program(probe, "net_send")) report_direction(report.banks(), &net_bank::sent, "tx", sink);
    if (has_program(probe, "net_drop")) report_drops(report.banks(), sink);
    report.total("net_sending_timeout", "net.tx_timeouts", &net_bank::sending_timeouts);
    return {};
  }

 private:
  struct Totals {
    uint64_t packets = 0;
    uint64_t bytes = 0;

    void add(const net_slot& slot) {
      packets += load_cell(slot.packets);
      bytes += load_cell(slot.bytes);
    }
  };

  static void report_direction(std::span<net_bank> banks, net_direction net_bank::*direction,
                               const std::string& mark, MetricSink& sink) {
    std::map<uint64_t, Totals> interfaces;
    Totals elsewhere;
    uint64_t missed = 0;
    for (const net_bank& bank : banks) {
      const net_direction& cells = bank.*direction;
      for (const net_slot& slot : cells.slots) {
        if (const uint64_t ifindex = load_cell(slot.ifindex); ifindex != 0) interfaces[ifindex].add(slot);
      }
      elsewhere.add(cells.elsewhere);
      missed += load_cell(cells.slots_missed);
    }
    for (const auto& [ifindex, totals] : interfaces) {
      std::array<char, IF_NAMESIZE> name{};
      // the interface is gone
      if (::if_indextoname(static_cast<unsigned>(ifindex), name.data()) == nullptr) continue;
      report_one("net." + series_part(name.data()) + "." + mark, totals, sink);
    }
    report_one("net.other_namespaces." + mark, elsewhere, sink);
    sink.total("net." + mark + "_slots_missed", missed);
  }

  static void report_one(const std::string& base, const Totals& totals, MetricSink& sink) {
    sink.total(base + "_packets", totals.packets);
    sink.total(base + "_bytes", totals.bytes);
  }

  // Reasons that have not occurred get no series; all reasons together have one.
  void report_drops(std::span<net_bank> banks, MetricSink& sink) const {
    uint64_t all = 0;
    for (size_t i = 0; i < NET_REASONS; ++i) {
      const uint64_t count =
          sum_cells(banks, [i](const net_bank& bank) -> const __u64& { return bank.drops[i]; });
      if (count == 0) continue;
      all += count;
      const auto it = reasons_.find(i);
      const std::string name = i == NET_REASONS - 1   ? "others"
                               : it == reasons_.end() ? "reason_" + std::to_string(i)
                                                      : it->second;
      sink.total("net.drops." + name, count);
    }
    sink.total("net.drops", all);
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

std::unique_ptr<Collector> make_net_collector(LoadedProbe probe, const BpfEnvironment&) {
  return std::make_unique<NetCollector>(std::move(probe));
}

}  // namespace statmill
