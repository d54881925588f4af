// The collectors with eBPF programs, one small file each. Those named _ebpf have what text cannot tell of a
// collector that reads text, too (text_and_ebpf.h).
#pragma once

#include <memory>
#include <string>

#include "agent/collectors/bpf_probe.h"
#include "agent/collectors/collector.h"
#include "base/clock.h"
#include "base/log.h"

namespace statmill {

class ContainerNames;

// The kernel's log, clock and /sys. Tests replace them.
struct BpfEnvironment {
  Log& log;
  const Clock& clock;
  ContainerNames* containers = nullptr;  // null: no series has the names of containers
  std::string cgroup_mount = "/sys/fs/cgroup";
  std::string devices = "/sys/dev/block";  // links by major:minor
};

// These load the probes whose settings depend on the host.
LoadedProbe load_inet_probe(const BpfEnvironment& environment);
LoadedProbe load_net_probe(const BpfEnvironment& environment);
LoadedProbe load_sched_probe(const BpfEnvironment& environment);
LoadedProbe load_syscalls_probe(const BpfEnvironment& environment);

// Everything that `environment` refers to must outlive the collectors.
std::unique_ptr<Collector> make_block_ebpf(LoadedProbe probe, const BpfEnvironment& environment);
std::unique_ptr<Collector> make_faults_collector(LoadedProbe probe, const BpfEnvironment& environment);
std::unique_ptr<Collector> make_interrupts_collector(LoadedProbe probe, const BpfEnvironment& environment);
std::unique_ptr<Collector> make_net_ebpf(LoadedProbe probe, const BpfEnvironment& environment);
std::unique_ptr<Collector> make_process_collector(LoadedProbe probe, const BpfEnvironment& environment);
std::unique_ptr<Collector> make_memory_ebpf(LoadedProbe probe, const BpfEnvironment& environment);
std::unique_ptr<Collector> make_sched_collector(LoadedProbe probe, const BpfEnvironment& environment);
std::unique_ptr<Collector> make_syscalls_collector(LoadedProbe probe, const BpfEnvironment& environment);
std::unique_ptr<Collector> make_inet_ebpf(LoadedProbe probe, const BpfEnvironment& environment);
std::unique_ptr<Collector> make_tlb_collector(LoadedProbe probe, const BpfEnvironment& environment);

}  // namespace statmill
