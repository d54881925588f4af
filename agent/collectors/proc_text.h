// The text formats of /proc, as pure functions: proc(5), Documentation/admin-guide/iostats.rst,
// accounting/psi.rst.
//
// Kernels differ in what they write: what is missing or makes no sense is left out of the result, never made
// up.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace statmill {

// The next line of `text`, taken off it without its LF. Requires: !text.empty().
std::string_view take_line(std::string_view& text);
// The next word of `line`, between blanks, taken off it; empty when there is none left.
std::string_view take_word(std::string_view& line);
// The whole word as a decimal number.
std::optional<uint64_t> whole_number(std::string_view word);

// The number after `key` in lines of `key number ...` or `key: number ...` (meminfo, vmstat, stat).
std::optional<uint64_t> find_number(std::string_view text, std::string_view key);

// The modes of a CPU that /proc/stat tells apart, in its order. Its guest times are part of user and nice.
inline constexpr std::array<std::string_view, 8> kCpuModes = {"user",   "nice", "system",  "idle",
                                                              "iowait", "irq",  "softirq", "steal"};
// Ticks in each mode, all CPUs together; modes that the kernel does not know are 0.
using CpuTimes = std::array<uint64_t, kCpuModes.size()>;
std::optional<CpuTimes> parse_cpu_times(std::string_view stat);

struct LoadAverages {
  std::array<double, 3> load{};  // over 1, 5 and 15 minutes
  uint64_t running = 0;          // tasks
  uint64_t total = 0;
};
std::optional<LoadAverages> parse_load_averages(std::string_view loadavg);

struct Disk {
  std::string_view name;
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t read_bytes = 0;
  uint64_t write_bytes = 0;
  uint64_t io_ms = 0;      // time with at least one request under way
  uint64_t in_flight = 0;  // now
};
// Whole devices that did something since boot: no partitions, loop or RAM devices.
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
// All but the loopback interface.
std::vector<Interface> parse_interfaces(std::string_view net_dev);

struct PressureLine {
  double percent_10s = 0;  // share of the last 10 s in which tasks stalled
  uint64_t total_us = 0;
};
struct Pressure {
  std::optional<PressureLine> some;  // at least one task stalled
  std::optional<PressureLine> full;  // all did
};
Pressure parse_pressure(std::string_view pressure);

}  // namespace statmill
