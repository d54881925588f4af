#include "agent/collectors/host_text.h"

#include <algorithm>
#include <array>

#include "agent/collectors/proc_text.h"
#include "base/number_text.h"

namespace statmill {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) words.push_back(word);
  return words;
}

// Adds the number; a word that is none makes the sum unknown.
void add_hexadecimal(std::optional<uint64_t>& sum, std::string_view word) {
  const std::optional<uint64_t> number = parse_as<uint64_t>(word, 16);
  sum = sum && number ? std::optional(*sum + *number) : std::nullopt;
}

// The numbers after "proc4 69"; none if there are not so many.
std::vector<uint32_t> nfs_operations_in(std::string_view line) {
  const std::optional<size_t> count = parse_as<size_t>(next_word(line));
  std::vector<uint32_t> numbers;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    const std::optional<uint32_t> number = parse_as<uint32_t>(word);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return count == numbers.size() ? numbers : std::vector<uint32_t>();
}

}  // namespace

std::vector<std::optional<uint64_t>> sums_of_columns(std::string_view table,
                                                     std::span<const std::string_view> columns) {
  std::vector<std::optional<uint64_t>> sums(columns.size());
  if (table.empty()) return sums;
  const std::vector<std::string_view> names = words_of(next_line(table));
  std::vector<std::optional<size_t>> wanted(names.size());  // by word of a row: which of `columns` it is
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto name = std::find(names.begin(), names.end(), columns[i]);
    if (name == names.end() || table.empty()) continue;
    wanted[static_cast<size_t>(name - names.begin())] = i;
    sums[i] = 0;
  }
  while (!table.empty()) {
    std::string_view row = next_line(table);
    for (const std::optional<size_t>& column : wanted) {
      const std::string_view word = next_word(row);
      if (column) add_hexadecimal(sums[*column], word);
    }
  }
  return sums;
}

std::optional<uint64_t> first_of_column(std::string_view table, std::string_view column) {
  const size_t names_end = table.find('\n');
  if (names_end == std::string_view::npos) return std::nullopt;
  return sums_of_columns(table.substr(0, table.find('\n', names_end + 1)), {&column, 1}).front();
}

std::vector<SoftnetCpu> parse_softnet(std::string_view softnet_stat) {
  constexpr size_t kCpuColumn = 12;
  std::vector<SoftnetCpu> cpus;
  for (uint64_t row = 0; !softnet_stat.empty(); ++row) {
    std::string_view line = next_line(softnet_stat);
    std::array<std::optional<uint32_t>, kCpuColumn + 1> columns;
    for (std::optional<uint32_t>& column : columns) column = parse_as<uint32_t>(next_word(line), 16);
    if (!columns[0] || !columns[1] || !columns[2]) continue;
    cpus.push_back({columns[kCpuColumn].value_or(row), *columns[0], *columns[1], *columns[2]});
  }
  return cpus;
}

std::map<std::string_view, uint64_t> count_arp_entries(std::string_view arp) {
  constexpr size_t kColumns = 6;  // the last is the device
  std::map<std::string_view, uint64_t> counts;
  if (!arp.empty()) next_line(arp);  // names
  while (!arp.empty()) {
    std::string_view line = next_line(arp);
    std::string_view device;
    for (size_t i = 0; i < kColumns; ++i) device = next_word(line);
    if (!device.empty()) ++counts[device];
  }
  return counts;
}

NfsCounts parse_nfs(std::string_view nfs) {
  NfsCounts counts;
  while (!nfs.empty()) {
    std::string_view line = next_line(nfs);
    const std::string_view key = next_word(line);
    if (key == "rpc") {
      counts.calls = parse_as<uint32_t>(next_word(line));
      counts.retransmits = parse_as<uint32_t>(next_word(line));
      counts.auth_refreshes = parse_as<uint32_t>(next_word(line));
    }
    if (key == "proc3") counts.version_3 = nfs_operations_in(line);
    if (key == "proc4") counts.version_4 = nfs_operations_in(line);
  }
  return counts;
}

std::optional<uint64_t> find_kstat(std::string_view kstat, std::string_view key) {
  while (!kstat.empty()) {
    std::string_view line = next_line(kstat);
    if (next_word(line) != key) continue;
    next_word(line);  // type
    return parse_as<uint64_t>(next_word(line));
  }
  return std::nullopt;
}

}  // namespace statmill
