// Collectors of hardware and of parts of the kernel that a host may lack: links, clocks of CPUs, sensors,
// energy, connection tracking, RAID, NFS, ZFS, GPUs, virtual machines, systemd, sessions of users.
//
// What a host does not have makes no series, and its collector is ok. What is there and may not be read makes
// the collector degraded or unavailable.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agent/collectors/collector.h"
#include "base/clock.h"
#include "base/log.h"

namespace statmill {

// What these collectors use. `sys` is the directory of sysfs: /sys except in tests. All must outlive the
// collectors.
struct HostSources {
  ProcReader& proc;
  std::string sys;
  const Clock& clock;
  Log& log;
};

std::unique_ptr<Collector> make_link_collector(const HostSources& sources);
std::unique_ptr<Collector> make_cpufreq_collector(const HostSources& sources);
std::unique_ptr<Collector> make_hwmon_collector(const HostSources& sources);
std::unique_ptr<Collector> make_rapl_collector(const HostSources& sources);
std::unique_ptr<Collector> make_conntrack_collector(const HostSources& sources);
std::unique_ptr<Collector> make_neighbor_collector(const HostSources& sources);
std::unique_ptr<Collector> make_softnet_collector(const HostSources& sources);
std::unique_ptr<Collector> make_md_collector(const HostSources& sources);
std::unique_ptr<Collector> make_multipath_collector(const HostSources& sources);
std::unique_ptr<Collector> make_nfs_collector(const HostSources& sources);
std::unique_ptr<Collector> make_zfs_collector(const HostSources& sources);
std::unique_ptr<Collector> make_libvirt_collector(const HostSources& sources);
// `nvml_library` is the name of NVIDIA's library, kNvmlLibrary except in tests.
inline constexpr std::string_view kNvmlLibrary = "libnvidia-ml.so.1";
std::unique_ptr<Collector> make_gpu_collector(const HostSources& sources, std::string_view nvml_library);
// `root` is where the root directory of the host is; empty outside containers. The others must outlive the
// collector.
std::unique_ptr<Collector> make_systemd_collector(const std::string& root, const Clock& clock, Log& log);
// `root` is the root of the host, without a slash at the end; empty: /. Both must outlive the collector.
std::unique_ptr<Collector> make_users_collector(const std::string& root, const Clock& clock, Log& log);

}  // namespace statmill
