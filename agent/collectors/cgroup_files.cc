#include "agent/collectors/cgroup_files.h"

#include "agent/collectors/proc_text.h"
#include "base/number_text.h"

namespace statmill {
namespace {

using Form = CgroupField::Form;

constexpr uint64_t kUs = 1000;  // in ns

constexpr CgroupField kVersion2[] = {
    {"", "cpu.stat", Form::kKeyed, "usage_usec", EventFamily("host.cgroup.cpu_ns"), "", kUs},
    {"", "cpu.stat", Form::kKeyed, "user_usec", EventFamily("host.cgroup.cpu_user_ns"), "", kUs},
    {"", "cpu.stat", Form::kKeyed, "system_usec", EventFamily("host.cgroup.cpu_system_ns"), "", kUs},
    {"", "cpu.stat", Form::kKeyed, "nr_periods", EventFamily("host.cgroup.cpu_periods"), "", 1},
    {"", "cpu.stat", Form::kKeyed, "nr_throttled", EventFamily("host.cgroup.cpu_throttled_periods"), "", 1},
    {"", "cpu.stat", Form::kKeyed, "throttled_usec", EventFamily("host.cgroup.cpu_throttled_ns"), "", kUs},
    {"", "memory.current", Form::kNumber, "", GaugeFamily("host.cgroup.memory_bytes"), "", 1},
    {"", "memory.max", Form::kNumber, "", GaugeFamily("host.cgroup.memory_max_bytes"), "", 1},
    {"", "memory.stat", Form::kKeyed, "anon", GaugeFamily("host.cgroup.memory_anon_bytes"), "", 1},
    {"", "memory.stat", Form::kKeyed, "file", GaugeFamily("host.cgroup.memory_file_bytes"), "", 1},
    {"", "memory.stat", Form::kKeyed, "slab", GaugeFamily("host.cgroup.memory_slab_bytes"), "", 1},
    {"", "memory.stat", Form::kKeyed, "pgmajfault", EventFamily("host.cgroup.memory_major_faults"), "", 1},
    {"", "memory.events", Form::kKeyed, "high", EventFamily("host.cgroup.memory_high_events"), "", 1},
    {"", "memory.events", Form::kKeyed, "max", EventFamily("host.cgroup.memory_max_events"), "", 1},
    {"", "memory.events", Form::kKeyed, "oom_kill", EventFamily("host.cgroup.memory_oom_kills"), "", 1},
    {"", "io.stat", Form::kDevices, "rbytes", EventFamily("host.cgroup.io_bytes"), "read", 1},
    {"", "io.stat", Form::kDevices, "wbytes", EventFamily("host.cgroup.io_bytes"), "write", 1},
    {"", "io.stat", Form::kDevices, "rios", EventFamily("host.cgroup.io_operations"), "read", 1},
    {"", "io.stat", Form::kDevices, "wios", EventFamily("host.cgroup.io_operations"), "write", 1},
    {"", "pids.current", Form::kNumber, "", GaugeFamily("host.cgroup.tasks"), "", 1},
};

constexpr CgroupField kVersion1[] = {
    {"cpuacct", "cpuacct.usage", Form::kNumber, "", EventFamily("host.cgroup.cpu_ns"), "", 1},
    {"cpuacct", "cpuacct.usage_user", Form::kNumber, "", EventFamily("host.cgroup.cpu_user_ns"), "", 1},
    {"cpuacct", "cpuacct.usage_sys", Form::kNumber, "", EventFamily("host.cgroup.cpu_system_ns"), "", 1},
    {"cpu", "cpu.stat", Form::kKeyed, "nr_periods", EventFamily("host.cgroup.cpu_periods"), "", 1},
    {"cpu", "cpu.stat", Form::kKeyed, "nr_throttled", EventFamily("host.cgroup.cpu_throttled_periods"), "",
     1},
    {"cpu", "cpu.stat", Form::kKeyed, "throttled_time", EventFamily("host.cgroup.cpu_throttled_ns"), "", 1},
    {"memory", "memory.usage_in_bytes", Form::kNumber, "", GaugeFamily("host.cgroup.memory_bytes"), "", 1},
    {"memory", "memory.limit_in_bytes", Form::kNumber, "", GaugeFamily("host.cgroup.memory_max_bytes"), "",
     1},
    {"memory", "memory.failcnt", Form::kNumber, "", EventFamily("host.cgroup.memory_max_events"), "", 1},
    {"memory", "memory.stat", Form::kKeyed, "rss", GaugeFamily("host.cgroup.memory_anon_bytes"), "", 1},
    {"memory", "memory.stat", Form::kKeyed, "cache", GaugeFamily("host.cgroup.memory_file_bytes"), "", 1},
    {"memory", "memory.stat", Form::kKeyed, "pgmajfault", EventFamily("host.cgroup.memory_major_faults"), "",
     1},
    {"memory", "memory.oom_control", Form::kKeyed, "oom_kill", EventFamily("host.cgroup.memory_oom_kills"),
     "", 1},
    {"blkio", "blkio.throttle.io_service_bytes", Form::kOldIo, "Read", EventFamily("host.cgroup.io_bytes"),
     "read", 1},
    {"blkio", "blkio.throttle.io_service_bytes", Form::kOldIo, "Write", EventFamily("host.cgroup.io_bytes"),
     "write", 1},
    {"blkio", "blkio.throttle.io_serviced", Form::kOldIo, "Read", EventFamily("host.cgroup.io_operations"),
     "read", 1},
    {"blkio", "blkio.throttle.io_serviced", Form::kOldIo, "Write", EventFamily("host.cgroup.io_operations"),
     "write", 1},
    {"pids", "pids.current", Form::kNumber, "", GaugeFamily("host.cgroup.tasks"), "", 1},
};

// Returns the sum of what `number_of` finds in the lines; nullopt if it finds nothing. An empty file has no
// devices: the sum is 0.
template <class NumberOf>
std::optional<uint64_t> sum_of_lines(std::string_view text, NumberOf number_of) {
  const bool is_empty = text.empty();
  std::optional<uint64_t> sum;
  while (!text.empty()) {
    if (const std::optional<uint64_t> number = number_of(next_line(text))) sum = sum.value_or(0) + *number;
  }
  return is_empty ? 0 : sum;
}

std::optional<uint64_t> number_of_device(std::string_view line, std::string_view key) {
  next_word(line);
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    const size_t equals = word.find('=');
    if (equals != std::string_view::npos && word.substr(0, equals) == key)
      return parse_as<uint64_t>(word.substr(equals + 1));
  }
  return std::nullopt;
}

std::optional<uint64_t> number_of_old_io(std::string_view line, std::string_view key) {
  next_word(line);
  return next_word(line) == key ? parse_as<uint64_t>(next_word(line)) : std::nullopt;
}

std::optional<uint64_t> number_in(std::string_view text, const CgroupField& field) {
  switch (field.form) {
    case Form::kNumber:
      return text.empty() ? std::nullopt : parse_as<uint64_t>(next_line(text));
    case Form::kKeyed:
      return find_number(text, field.key);
    case Form::kDevices:
      return sum_of_lines(text, [&](std::string_view line) { return number_of_device(line, field.key); });
    case Form::kOldIo:
      return sum_of_lines(text, [&](std::string_view line) { return number_of_old_io(line, field.key); });
  }
  return std::nullopt;
}

}  // namespace

std::span<const CgroupField> cgroup_fields_v2() { return kVersion2; }
std::span<const CgroupField> cgroup_fields_v1() { return kVersion1; }

std::optional<uint64_t> find_cgroup_number(std::string_view text, const CgroupField& field) {
  const std::optional<uint64_t> number = number_in(text, field);
  // Version 1 writes "no limit" as the largest multiple of a page.
  constexpr uint64_t kMost = uint64_t{1} << 62;
  if (!number || *number > kMost / field.factor) return std::nullopt;
  return *number * field.factor;
}

}  // namespace statmill
