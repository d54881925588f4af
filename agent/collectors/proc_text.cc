#include "agent/collectors/proc_text.h"

#include <algorithm>

#include "base/number_text.h"
#include "proto/number.h"

namespace statmill {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr uint64_t kSectorBytes = 512;  // unit of diskstats, independent of the device's sector size
constexpr uint64_t kSectorsMax = UINT64_MAX / kSectorBytes;

std::optional<double> real_number(std::string_view word) {
  Number number;
  return parse_number(word, number).is_accepted() ? std::optional(number.value()) : std::nullopt;
}

// Fills `numbers` from the next words of `line`. Returns false if one is missing or not a number.
template <size_t N>
bool take_numbers(std::string_view& line, std::array<uint64_t, N>& numbers) {
  for (uint64_t& number : numbers) {
    const std::optional<uint64_t> value = parse_as<uint64_t>(next_word(line));
    if (!value) return false;
    number = *value;
  }
  return true;
}

std::optional<CpuTimes> cpu_times(std::string_view line) {
  CpuTimes times{};
  for (size_t mode = 0; mode < times.size(); ++mode) {
    const std::string_view word = next_word(line);
    const std::optional<uint64_t> ticks = parse_as<uint64_t>(word);
    // the first four modes exist in every kernel
    if (!ticks && (mode < 4 || !word.empty())) return std::nullopt;
    times[mode] = ticks.value_or(0);
  }
  return times;
}

// Returns all numbers of the line; none if a word is not a number.
std::vector<uint64_t> numbers_in(std::string_view line) {
  std::vector<uint64_t> numbers;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    const std::optional<uint64_t> number = parse_as<uint64_t>(word);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

// Returns whether the first word of `line` is `title:`, and removes it.
bool begins_with_title(std::string_view& line, std::string_view title) {
  const std::string_view word = next_word(line);
  return word.ends_with(':') && word.substr(0, word.size() - 1) == title;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// True for partitions such as sda1 of sda, nvme0n1p2 of nvme0n1.
bool is_partition_of(std::string_view name, std::string_view device) {
  if (device.empty() || !name.starts_with(device)) return false;
  std::string_view rest = name.substr(device.size());
  if (is_digit(device.back())) {
    if (!rest.starts_with('p')) return false;
    rest.remove_prefix(1);
  }
  return !rest.empty() && std::all_of(rest.begin(), rest.end(), is_digit);
}

bool is_memory_device(std::string_view name) { return name.starts_with("loop") || name.starts_with("ram"); }

InterfaceTraffic traffic(const std::array<uint64_t, 16>& columns, size_t first) {
  return {columns[first], columns[first + 1], columns[first + 2], columns[first + 3]};
}

// Format: some avg10=0.12 avg60=0.05 avg300=0.00 total=12345
std::optional<uint64_t> pressure_total(std::string_view line) {
  constexpr std::string_view kTotal = "total=";
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    if (word.starts_with(kTotal)) return parse_as<uint64_t>(word.substr(kTotal.size()));
  }
  return std::nullopt;
}

}  // namespace

std::string_view next_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

std::optional<uint64_t> find_number(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (!line.starts_with(key)) continue;
    std::string_view word = next_word(line);
    if (word.ends_with(':')) word.remove_suffix(1);
    if (word == key) return parse_as<uint64_t>(next_word(line));
  }
  return std::nullopt;
}

std::optional<uint64_t> find_node_number(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    next_word(line);  // "Node"
    next_word(line);  // its number
    if (begins_with_title(line, key)) return parse_as<uint64_t>(next_word(line));
  }
  return std::nullopt;
}

std::vector<size_t> parse_number_list(std::string_view list, size_t count_max) {
  std::vector<size_t> numbers;
  list = list.substr(0, list.find('\n'));
  while (!list.empty() && numbers.size() < count_max) {
    const std::string_view range = list.substr(0, list.find(','));
    list.remove_prefix(std::min(range.size() + 1, list.size()));
    const size_t dash = range.find('-');
    const auto first = parse_as<size_t>(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_as<size_t>(range.substr(dash + 1));
    if (!first || !last || *last < *first || (!numbers.empty() && *first <= numbers.back())) return {};
    for (size_t number = *first; numbers.size() < count_max; ++number) {
      numbers.push_back(number);
      if (number == *last) break;
    }
  }
  return numbers;
}

std::optional<uint64_t> find_number_of(std::string_view text, std::string_view title, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (!begins_with_title(line, title)) continue;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      const std::string_view number = next_word(line);
      if (word == key) return parse_as<uint64_t>(number);
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> find_column(std::string_view text, std::string_view title, std::string_view column) {
  while (!text.empty()) {
    std::string_view names = next_line(text);
    if (!begins_with_title(names, title) || text.empty()) continue;
    std::string_view numbers = next_line(text);
    if (!begins_with_title(numbers, title)) return std::nullopt;
    for (std::string_view name = next_word(names); !name.empty(); name = next_word(names)) {
      const std::string_view number = next_word(numbers);
      if (name == column) return parse_as<uint64_t>(number);
    }
  }
  return std::nullopt;
}

std::optional<StatText> parse_proc_stat(std::string_view stat) {
  if (stat.empty()) return std::nullopt;
  std::string_view first = next_line(stat);
  const std::string_view begin = next_word(first);
  const std::optional<CpuTimes> all = begin == "cpu" ? cpu_times(first) : std::nullopt;
  if (!all) return std::nullopt;
  StatText result{.all = *all};
  while (!stat.empty()) {
    std::string_view line = next_line(stat);
    const std::string_view key = next_word(line);
    if (key.starts_with("cpu")) {
      const std::optional<size_t> number = parse_as<size_t>(key.substr(3));
      const std::optional<CpuTimes> times = cpu_times(line);
      if (number && times) result.cpus.push_back({*number, *times});
    } else if (key == "intr") {
      result.interrupts = parse_as<uint64_t>(next_word(line));
      result.irqs = numbers_in(line);
    } else if (key == "btime") {
      result.boot_time_s = parse_as<uint64_t>(next_word(line));
    } else if (key == "procs_blocked") {
      result.blocked = parse_as<uint64_t>(next_word(line));
    } else if (key == "ctxt") {
      result.context_switches = parse_as<uint64_t>(next_word(line));
    } else if (key == "processes") {
      result.forks = parse_as<uint64_t>(next_word(line));
    } else if (key == "softirq") {
      next_word(line);  // the sum
      result.softirqs = numbers_in(line);
    }
  }
  return result;
}

std::optional<double> parse_uptime(std::string_view uptime) {
  if (uptime.empty()) return std::nullopt;
  std::string_view line = next_line(uptime);
  const std::optional<double> seconds = real_number(next_word(line));
  return seconds && *seconds >= 0 ? seconds : std::nullopt;
}

std::optional<LoadAverages> parse_load_averages(std::string_view loadavg) {
  if (loadavg.empty()) return std::nullopt;
  std::string_view line = next_line(loadavg);
  LoadAverages averages;
  for (double& load : averages.load) {
    const std::optional<double> value = real_number(next_word(line));
    if (!value) return std::nullopt;
    load = *value;
  }
  const std::string_view tasks = next_word(line);
  const size_t slash = tasks.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<uint64_t> running = parse_as<uint64_t>(tasks.substr(0, slash));
  const std::optional<uint64_t> total = parse_as<uint64_t>(tasks.substr(slash + 1));
  if (!running || !total) return std::nullopt;
  averages.running = *running;
  averages.total = *total;
  return averages;
}

std::vector<Disk> parse_disks(std::string_view diskstats) {
  std::vector<Disk> disks;
  std::string_view whole;  // the last whole device: its partitions follow it
  while (!diskstats.empty()) {
    std::string_view line = next_line(diskstats);
    next_word(line);  // major
    next_word(line);  // minor
    const std::string_view name = next_word(line);
    // reads merged sectors ms, writes merged sectors ms, in_flight io_ms weighted_ms
    std::array<uint64_t, 11> columns{};
    if (name.empty() || is_partition_of(name, whole)) continue;
    whole = name;
    if (!take_numbers(line, columns) || is_memory_device(name)) continue;
    if (columns[0] == 0 && columns[4] == 0) continue;
    if (columns[2] > kSectorsMax || columns[6] > kSectorsMax) continue;
    Disk disk{.name = name,
              .reads = {columns[0], columns[2] * kSectorBytes, columns[3]},
              .writes = {columns[4], columns[6] * kSectorBytes, columns[7]},
              .io_ms = columns[9],
              .in_flight = columns[8]};
    std::array<uint64_t, 4> discards{};  // as reads
    std::array<uint64_t, 2> flushes{};   // flushes ms
    if (take_numbers(line, discards) && discards[2] <= kSectorsMax) {
      disk.discards = {discards[0], discards[2] * kSectorBytes, discards[3]};
      if (take_numbers(line, flushes)) disk.flushes = {flushes[0], 0, flushes[1]};
    }
    disks.push_back(disk);
  }
  return disks;
}

std::vector<Interface> parse_interfaces(std::string_view net_dev) {
  std::vector<Interface> interfaces;
  while (!net_dev.empty()) {
    std::string_view line = next_line(net_dev);
    const size_t colon = line.rfind(':');  // a name may contain a colon, as in eth0:1
    if (colon == std::string_view::npos) continue;
    std::string_view before = line.substr(0, colon);
    const std::string_view name = next_word(before);
    line.remove_prefix(colon + 1);
    std::array<uint64_t, 16> columns{};
    if (name.empty() || name == "lo" || !take_numbers(line, columns)) continue;
    interfaces.push_back({name, traffic(columns, 0), traffic(columns, 8)});
  }
  return interfaces;
}

Pressure parse_pressure(std::string_view pressure) {
  Pressure result;
  while (!pressure.empty()) {
    std::string_view line = next_line(pressure);
    const std::string_view kind = next_word(line);
    if (kind == "some") result.some_total_us = pressure_total(line);
    if (kind == "full") result.full_total_us = pressure_total(line);
  }
  return result;
}

}  // namespace statmill
