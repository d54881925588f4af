// The collectors over eBPF programs, one small file each; the subject of a probe is the collector's name.
#pragma once

#include <memory>
#include <string>

#include "agent/collectors/bpf_probe.h"
#include "agent/collectors/collector.h"
#include "base/clock.h"
#include "base/log.h"

namespace statmill {

// What tests have instead of the kernel and of /sys.
struct BpfSurroundings {
  Log& log;
  const Clock& clock;
  std::string cgroup_mount = "/sys/fs/cgroup";
};

// A probe for its collector, whose settings depend on the host.
LoadedProbe load_sched_probe(const BpfSurroundings& around);

// What `around` refers to must outlive the collectors.
std::unique_ptr<Collector> make_sched_collector(LoadedProbe probe, const BpfSurroundings& around);

}  // namespace statmill
