// Parsers for the text formats of /proc, as pure functions: proc(5), Documentation/admin-guide/iostats.rst,
// accounting/psi.rst.
//
// Kernels differ in what they write. Values that are missing or invalid are left out of the
// result, never invented.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace statmill {

// Removes and returns the next line of `text`, without its LF. Requires: !text.empty().
std::string_view next_line(std::string_view& text);
// Removes and returns the next word of `line`, separated by blanks; empty if there is none.
std::string_view next_word(std::string_view& line);

// Returns the number after `key` in lines of `key number ...` or `key: number ...` (meminfo, vmstat, stat).
std::optional<uint64_t> find_number(std::string_view text, std::string_view key);
// The same in lines of `Node number key: number ...` (meminfo of a NUMA node).
std::optional<uint64_t> find_node_number(std::string_view text, std::string_view key);
// Returns the first `count_max` numbers of a list as "0-3,8", ascending; none if it is not as expected.
std::vector<size_t> parse_number_list(std::string_view list, size_t count_max);
// Returns the number after `key` in the line `title: key number key number ...` (sockstat).
std::optional<uint64_t> find_number_of(std::string_view text, std::string_view title, std::string_view key);
// Returns the number under `column` in a pair of lines `title: column column ...`, `title: number number ...`
// (snmp).
std::optional<uint64_t> find_column(std::string_view text, std::string_view title, std::string_view column);

// The CPU modes in /proc/stat, in its order. Guest times are included in user and nice.
inline constexpr std::array<std::string_view, 8> kCpuModes = {"user",   "nice", "system",  "idle",
                                                              "iowait", "irq",  "softirq", "steal"};
// Ticks in each mode; 0 for modes that the kernel does not report.
using CpuTimes = std::array<uint64_t, kCpuModes.size()>;

// The vectors of soft interrupts, in the kernel's order (include/linux/interrupt.h).
inline constexpr std::array<std::string_view, 10> kSoftirqVectors = {
    "hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu"};

// /proc/stat.
struct StatText {
  struct Cpu {
    size_t number = 0;
    CpuTimes times{};
  };
  CpuTimes all{};
  std::vector<Cpu> cpus = {};  // those that are online
  std::optional<uint64_t> context_switches = {};
  std::optional<uint64_t> forks = {};
  std::optional<uint64_t> boot_time_s = {};  // Unix time
  std::optional<uint64_t> blocked = {};      // tasks
  std::optional<uint64_t> interrupts = {};   // all of them
  std::vector<uint64_t> irqs = {};           // by number
  std::vector<uint64_t> softirqs = {};       // by vector
};
// Returns nullopt if it does not begin with the times of all CPUs.
std::optional<StatText> parse_proc_stat(std::string_view stat);

// /proc/uptime. Returns seconds.
std::optional<double> parse_uptime(std::string_view uptime);

struct LoadAverages {
  std::array<double, 3> load{};  // over 1, 5 and 15 minutes
  uint64_t running = 0;          // tasks
  uint64_t total = 0;
};
std::optional<LoadAverages> parse_load_averages(std::string_view loadavg);

// The requests of one operation that a disk has ended.
struct DiskWork {
  uint64_t operations = 0;
  uint64_t bytes = 0;
  uint64_t time_ms = 0;  // summed over the requests
};
struct Disk {
  std::string_view name;
  DiskWork reads = {};
  DiskWork writes = {};
  std::optional<DiskWork> discards = {};  // kernels before 4.18 do not report them
  std::optional<DiskWork> flushes = {};   // nor flushes before 5.5; these have no bytes
  uint64_t io_ms = 0;                     // time with at least one request in flight
  uint64_t in_flight = 0;                 // now
};
// Returns whole devices that did something since boot, without partitions, loop and RAM devices.
std::vector<Disk> parse_disks(std::string_view diskstats);

struct InterfaceTraffic {
  uint64_t bytes = 0;
  uint64_t packets = 0;
  uint64_t errors = 0;
  uint64_t drops = 0;
};
struct Interface {
  std::string_view name;
  InterfaceTraffic received;
  InterfaceTraffic transmitted;
};
// Returns all interfaces except the loopback.
std::vector<Interface> parse_interfaces(std::string_view net_dev);

struct Pressure {
  std::optional<uint64_t> some_total_us;  // at least one task stalled
  std::optional<uint64_t> full_total_us;  // all tasks stalled
};
Pressure parse_pressure(std::string_view pressure);

}  // namespace statmill
