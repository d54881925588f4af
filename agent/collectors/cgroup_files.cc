#include "agent/collectors/cgroup_files.h"

#include "agent/collectors/proc_text.h"
#include "base/number_text.h"

namespace statmill {
namespace {

using Form = CgroupField::Form;

constexpr uint64_t kUs = 1000;  // in ns

constexpr CgroupField kVersion2[] = {
    {"", "cpu.stat", Form::kKeyed, "usage_usec", "cpu_ns", true, kUs},
    {"", "cpu.stat", Form::kKeyed, "user_usec", "cpu_user_ns", true, kUs},
    {"", "cpu.stat", Form::kKeyed, "system_usec", "cpu_system_ns", true, kUs},
    {"", "cpu.stat", Form::kKeyed, "nr_periods", "cpu_periods", true, 1},
    {"", "cpu.stat", Form::kKeyed, "nr_throttled", "cpu_throttled_periods", true, 1},
    {"", "cpu.stat", Form::kKeyed, "throttled_usec", "cpu_throttled_ns", true, kUs},
    {"", "memory.current", Form::kNumber, "", "memory_bytes", false, 1},
    {"", "memory.max", Form::kNumber, "", "memory_max_bytes", false, 1},
    {"", "memory.stat", Form::kKeyed, "anon", "memory_anon_bytes", false, 1},
    {"", "memory.stat", Form::kKeyed, "file", "memory_file_bytes", false, 1},
    {"", "memory.stat", Form::kKeyed, "slab", "memory_slab_bytes", false, 1},
    {"", "memory.stat", Form::kKeyed, "pgmajfault", "memory_major_faults", true, 1},
    {"", "memory.events", Form::kKeyed, "high", "memory_high_events", true, 1},
    {"", "memory.events", Form::kKeyed, "max", "memory_max_events", true, 1},
    {"", "memory.events", Form::kKeyed, "oom_kill", "memory_oom_kills", true, 1},
    {"", "io.stat", Form::kDevices, "rbytes", "io_read_bytes", true, 1},
    {"", "io.stat", Form::kDevices, "wbytes", "io_write_bytes", true, 1},
    {"", "io.stat", Form::kDevices, "rios", "io_reads", true, 1},
    {"", "io.stat", Form::kDevices, "wios", "io_writes", true, 1},
    {"", "pids.current", Form::kNumber, "", "tasks", false, 1},
};

constexpr CgroupField kVersion1[] = {
    {"cpuacct", "cpuacct.usage", Form::kNumber, "", "cpu_ns", true, 1},
    {"cpuacct", "cpuacct.usage_user", Form::kNumber, "", "cpu_user_ns", true, 1},
    {"cpuacct", "cpuacct.usage_sys", Form::kNumber, "", "cpu_system_ns", true, 1},
    {"cpu", "cpu.stat", Form::kKeyed, "nr_periods", "cpu_periods", true, 1},
    {"cpu", "cpu.stat", Form::kKeyed, "nr_throttled", "cpu_throttled_periods", true, 1},
    {"cpu", "cpu.stat", Form::kKeyed, "throttled_time", "cpu_throttled_ns", true, 1},
    {"memory", "memory.usage_in_bytes", Form::kNumber, "", "memory_bytes", false, 1},
    {"memory", "memory.limit_in_bytes", Form::kNumber, "", "memory_max_bytes", false, 1},
    {"memory", "memory.failcnt", Form::kNumber, "", "memory_max_events", true, 1},
    {"memory", "memory.stat", Form::kKeyed, "rss", "memory_anon_bytes", false, 1},
    {"memory", "memory.stat", Form::kKeyed, "cache", "memory_file_bytes", false, 1},
    {"memory", "memory.stat", Form::kKeyed, "pgmajfault", "memory_major_faults", true, 1},
    {"memory", "memory.oom_control", Form::kKeyed, "oom_kill", "memory_oom_kills", true, 1},
    {"blkio", "blkio.throttle.io_service_bytes", Form::kOldIo, "Read", "io_read_bytes", true, 1},
    {"blkio", "blkio.throttle.io_service_bytes", Form::kOldIo, "Write", "io_write_bytes", true, 1},
    {"blkio", "blkio.throttle.io_serviced", Form::kOldIo, "Read", "io_reads", true, 1},
    {"blkio", "blkio.throttle.io_serviced", Form::kOldIo, "Write", "io_writes", true, 1},
    {"pids", "pids.current", Form::kNumber, "", "tasks", false, 1},
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
