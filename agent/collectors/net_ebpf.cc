// Network interfaces from eBPF: packets dropped by reason, interfaces that hang, and the traffic of
// containers.
#include <net/if.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <map>

#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_cgroups.h"
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

struct XdpTotals {
  void add(const net_xdp& slot) {
    redirected += load_cell(slot.redirected);
    redirects_failed += load_cell(slot.redirects_failed);
    aborted += load_cell(slot.aborted);
    queue_full += load_cell(slot.queue_full);
  }
  uint64_t redirected = 0;
  uint64_t redirects_failed = 0;
  uint64_t aborted = 0;
  uint64_t queue_full = 0;
};

struct CgroupDrops {
  void add(const net_cgroup& slot) { drops += load_cell(slot.drops); }
  uint64_t drops = 0;
};

class NetEbpf final : public BpfCollector {
 public:
  NetEbpf(LoadedProbe probe, const BpfEnvironment& environment)
      : BpfCollector("net", std::move(probe)),
        cgroups_(find_socket_cgroups(environment.cgroup_mount), {environment.clock, environment.containers}) {
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
    if (cgroups_.has_cgroups() && has_program(probe, "net_drop")) {
      cgroups_.report_each<CgroupDrops>(
          report.banks(), &net_bank::cgroups,
          [&](const Cgroup& cgroup, const ContainerName& name, const CgroupDrops& of) {
            sink.total("host.cgroup.net_drops", {cgroup.tag(), name.container, name.name_space, name.pod},
                       of.drops);
          });
    }
    report_xdp(probe, report.banks(), sink);
    sink.total("host.agent.ebpf_slots_missed", {"net"},
               sum_cells(report.banks(), &net_bank::cgroups_missed) +
                   sum_cells(report.banks(), &net_bank::interfaces_missed));
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

  // An interface without XDP has no slot and gets no series.
  static void report_xdp(const BpfProbe& probe, std::span<net_bank> banks, MetricSink& sink) {
    std::map<uint64_t, XdpTotals> all;
    for (const net_bank& bank : banks) {
      for (const net_xdp& slot : bank.xdp) {
        if (const uint64_t id = load_cell(slot.id); id != 0) all[id].add(slot);
      }
    }
    for (const auto& [id, totals] : all) {
      std::array<char, IF_NAMESIZE> name{};
      if (::if_indextoname(static_cast<unsigned>(id), name.data()) == nullptr) {
        if (errno == ENXIO) release_interface(banks, id);
        continue;
      }
      const auto report = [&, device = std::string_view(name.data())](
                              std::string_view program, std::string_view reason, uint64_t drops) {
        if (has_program(probe, program)) sink.total("host.net.xdp_drops", {device, reason}, drops);
      };
      if (has_program(probe, "net_xdp_redirect"))
        sink.total("host.net.xdp_redirects", {name.data()}, totals.redirected);
      report("net_xdp_redirect_failed", "redirect_failed", totals.redirects_failed);
      report("net_xdp_abort", "aborted", totals.aborted);
      report("net_xdp_send", "queue_full", totals.queue_full);
    }
  }
  static void release_interface(std::span<net_bank> banks, uint64_t id) {
    for (net_bank& bank : banks) {
      for (net_xdp& slot : bank.xdp) {
        if (load_cell(slot.id) == id) release_slot(slot);
      }
    }
  }

  std::map<uint64_t, std::string> reasons_;
  BpfCgroups cgroups_;
};

}  // namespace

LoadedProbe load_net_probe(const BpfEnvironment& environment) {
  struct stat status {};
  if (::stat("/proc/thread-self/ns/net", &status) != 0)
    return Error{ErrorCode::kUnavailable, "network namespace unknown"};
  const net_settings settings{
      .namespace_inode = static_cast<__u32>(status.st_ino),
      .has_socket_cgroups = find_socket_cgroups(environment.cgroup_mount).empty() ? 0U : 1U};
  return load_bpf_probe({.subject = "net", .settings = std::as_bytes(std::span(&settings, 1))},
                        environment.log);
}

std::unique_ptr<Collector> make_net_ebpf(LoadedProbe probe, const BpfEnvironment& environment) {
  return std::make_unique<NetEbpf>(std::move(probe), environment);
}

}  // namespace statmill
