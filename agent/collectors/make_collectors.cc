#include "agent/collectors/make_collectors.h"

#include <algorithm>
#include <iterator>

#include "agent/collectors/bpf_collectors.h"
#include "agent/collectors/clock_state.h"
#include "agent/collectors/filesystem.h"
#include "agent/collectors/host_collectors.h"
#include "agent/collectors/perf_counters.h"
#include "agent/collectors/processes.h"
#include "agent/collectors/programs.h"
#include "agent/collectors/sockets.h"
#include "agent/collectors/text_and_ebpf.h"
#include "base/check.h"

namespace statmill {
namespace {

struct Entry {
  CollectorKind kind;
  std::unique_ptr<Collector> (*make)(const Environment& environment);
};

// A collector that only reads the text of /proc.
template <std::unique_ptr<Collector> (*kMake)(ProcReader&)>
std::unique_ptr<Collector> of_proc(const Environment& environment) {
  return kMake(environment.proc);
}

// Programs without settings, by subject.
struct Subject {
  char text[16];
};
template <Subject kSubject>
LoadedProbe load_probe_of(const BpfEnvironment& environment) {
  return load_bpf_probe({.subject = kSubject.text}, environment.log);
}

// A collector that only has eBPF programs.
template <std::unique_ptr<Collector> (*kMake)(LoadedProbe, const BpfEnvironment&),
          LoadedProbe (*kLoad)(const BpfEnvironment&)>
std::unique_ptr<Collector> of_bpf(const Environment& environment) {
  const BpfEnvironment bpf{
      .log = environment.log, .clock = environment.clock, .containers = &environment.containers};
  return kMake(kLoad(bpf), bpf);
}

// A collector that has both.
template <std::unique_ptr<Collector> (*kMakeText)(ProcReader&),
          std::unique_ptr<Collector> (*kMakeEbpf)(LoadedProbe, const BpfEnvironment&),
          LoadedProbe (*kLoad)(const BpfEnvironment&)>
std::unique_ptr<Collector> of_both(const Environment& environment, GaugeFamily ebpf_serves) {
  return make_text_and_ebpf(kMakeText(environment.proc), of_bpf<kMakeEbpf, kLoad>(environment), ebpf_serves);
}
std::unique_ptr<Collector> make_memory(const Environment& environment) {
  return of_both<make_memory_text, make_memory_ebpf, load_probe_of<Subject{"reclaim"}>>(
      environment, "host.agent.memory_ebpf");
}
std::unique_ptr<Collector> make_block(const Environment& environment) {
  return of_both<make_block_text, make_block_ebpf, load_probe_of<Subject{"block"}>>(environment,
                                                                                    "host.agent.block_ebpf");
}
std::unique_ptr<Collector> make_net(const Environment& environment) {
  return of_both<make_net_text, make_net_ebpf, load_net_probe>(environment, "host.agent.net_ebpf");
}
std::unique_ptr<Collector> make_inet(const Environment& environment) {
  return of_both<make_inet_text, make_inet_ebpf, load_inet_probe>(environment, "host.agent.inet_ebpf");
}

// A collector of what a host may lack.
template <std::unique_ptr<Collector> (*kMake)(const HostSources&)>
std::unique_ptr<Collector> of_host(const Environment& environment) {
  return kMake({environment.proc, "/sys", environment.clock, environment.log});
}

std::unique_ptr<Collector> make_cgroup(const Environment& environment) {
  return make_cgroup_collector("/sys/fs/cgroup", environment.clock, environment.containers);
}

std::unique_ptr<Collector> make_gpu(const Environment& environment) {
  return make_gpu_collector({environment.proc, "/sys", environment.clock, environment.log}, kNvmlLibrary);
}

std::unique_ptr<Collector> make_systemd(const Environment& environment) {
  return make_systemd_collector(environment.config.filesystem_root, environment.clock, environment.log);
}

std::unique_ptr<Collector> make_clock(const Environment&) { return make_clock_collector(); }

// A run that only prints collects twice within a slot.
std::unique_ptr<Collector> make_filesystem(const Environment& environment) {
  return make_filesystem_collector(
      environment.proc, environment.clock,
      {.root = environment.config.filesystem_root, .is_each_time = environment.config.once});
}

std::unique_ptr<Collector> make_sockets(const Environment& environment) {
  return make_sockets_collector(environment.proc, environment.clock,
                                {.is_each_time = environment.config.once});
}

std::unique_ptr<Collector> make_numa(const Environment& environment) {
  return make_numa_collector("/sys/devices/system/node", environment.clock);
}

std::unique_ptr<Collector> make_pmu(const Environment&) {
  return make_pmu_collector(PerfCounters::open(hardware_events()));
}

std::unique_ptr<Collector> make_processes(const Environment& environment) {
  const AgentConfig& config = environment.config;
  return make_processes_collector({.root = config.proc_root,
                                   .processes_max = config.processes_max,
                                   .programs_max = config.processes_programs,
                                   .is_each_time = config.once},
                                  environment.clock, environment.log);
}

std::unique_ptr<Collector> make_users(const Environment& environment) {
  return make_users_collector(environment.config.filesystem_root, environment.clock, environment.log);
}

// A run that only prints must not remove the files that an agent reports.
std::unique_ptr<Collector> make_programs(const Environment& environment) {
  return make_programs_collector(
      {.directory = environment.config.programs_directory,
       .removes_files = !environment.config.once && environment.config.removes_cells},
      environment.clock, environment.log);
}

constexpr Entry kEntries[] = {
    {{"cpu", true, "/proc/stat"}, of_proc<make_cpu_collector>},
    {{"load", true, "/proc/loadavg"}, of_proc<make_load_collector>},
    {{"system", true, "/proc/uptime, entropy_avail"}, of_proc<make_system_collector>},
    {{"clock", true, "adjtimex"}, make_clock},
    {{"memory", true, "/proc/meminfo, vmstat"}, make_memory},
    {{"numa", true, "/sys/devices/system/node"}, make_numa},
    {{"block", true, "/proc/diskstats"}, make_block},
    {{"files", true, "/proc/sys/fs/file-nr, inode-nr"}, of_proc<make_files_collector>},
    {{"filesystem", true, "/proc/1/mountinfo, statfs"}, make_filesystem},
    {{"net", true, "/proc/net/dev"}, make_net},
    {{"inet", true, "/proc/net/snmp, netstat"}, make_inet},
    {{"sockets", true, "/proc/net/sockstat, sock_diag"}, make_sockets},
    {{"psi", true, "/proc/pressure"}, of_proc<make_psi_collector>},
    {{"link", true, "/sys/class/net"}, of_host<make_link_collector>},
    {{"cpufreq", true, "/sys/devices/system/cpu"}, of_host<make_cpufreq_collector>},
    {{"hwmon", true, "/sys/class/hwmon, thermal"}, of_host<make_hwmon_collector>},
    {{"rapl", true, "/sys/class/powercap"}, of_host<make_rapl_collector>},
    {{"conntrack", true, "/proc/sys/net/netfilter"}, of_host<make_conntrack_collector>},
    {{"neighbor", true, "/proc/net/arp, stat"}, of_host<make_neighbor_collector>},
    {{"softnet", true, "/proc/net/softnet_stat"}, of_host<make_softnet_collector>},
    {{"md", true, "/sys/block/md*"}, of_host<make_md_collector>},
    {{"multipath", true, "/sys/block/dm-*"}, of_host<make_multipath_collector>},
    {{"nfs", true, "/proc/net/rpc/nfs"}, of_host<make_nfs_collector>},
    {{"zfs", true, "/proc/spl/kstat/zfs"}, of_host<make_zfs_collector>},
    {{"processes", true, "/proc/PID/stat"}, make_processes},
    {{"users", true, "/run/systemd/sessions"}, make_users},
    {{"gpu", true, "/sys/class/drm, libnvidia-ml"}, make_gpu},
    {{"libvirt", true, "/sys/fs/cgroup/machine.slice"}, of_host<make_libvirt_collector>},
    {{"systemd", true, "the system's message bus"}, make_systemd},
    {{"cgroup", true, "/sys/fs/cgroup, files of runtimes"}, make_cgroup},
    {{"pmu", true, "perf_event_open"}, make_pmu},
    {{"sched", true, kEbpfSource}, of_bpf<make_sched_collector, load_sched_probe>},
    {{"process", true, kEbpfSource}, of_bpf<make_process_collector, load_probe_of<Subject{"process"}>>},
    {{"interrupts", true, kEbpfSource},
     of_bpf<make_interrupts_collector, load_probe_of<Subject{"interrupts"}>>},
    {{"syscalls", false, kEbpfSource}, of_bpf<make_syscalls_collector, load_syscalls_probe>},
    {{"faults", false, kEbpfSource}, of_bpf<make_faults_collector, load_probe_of<Subject{"faults"}>>},
    {{"tlb", false, kEbpfSource}, of_bpf<make_tlb_collector, load_probe_of<Subject{"tlb"}>>},
    {{"programs", true, "--programs.dir"}, make_programs},
};

}  // namespace

std::vector<CollectorKind> collector_kinds() {
  std::vector<CollectorKind> kinds;
  for (const Entry& entry : kEntries) kinds.push_back(entry.kind);
  return kinds;
}

std::vector<std::string_view> collector_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.kind.name);
  return names;
}

std::vector<std::string_view> default_collector_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) {
    if (entry.kind.is_default) names.push_back(entry.kind.name);
  }
  return names;
}

std::vector<std::unique_ptr<Collector>> make_collectors(const Environment& environment) {
  std::vector<std::unique_ptr<Collector>> collectors;
  for (const std::string& name : environment.config.collectors) {
    const Entry* const entry =
        std::find_if(std::begin(kEntries), std::end(kEntries),
                     [&](const Entry& candidate) { return candidate.kind.name == name; });
    SM_CHECK(entry != std::end(kEntries));
    collectors.push_back(entry->make(environment));
  }
  return collectors;
}

}  // namespace statmill
