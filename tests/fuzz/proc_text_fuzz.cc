// Parses any bytes as each file of /proc that collectors read. What is found lies in the text, and adding
// lines that no parser knows changes nothing.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/collectors/host_text.h"
#include "agent/collectors/mount_text.h"
#include "agent/collectors/proc_text.h"
#include "agent/collectors/process_text.h"
#include "base/check.h"
#include "base/hidden_characters.h"
#include "base/text.h"
#include "tests/fuzz/cost_bound.h"

namespace statmill {
namespace {

bool is_within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

bool is_name(std::string_view name, std::string_view text) {
  return !name.empty() && name.find_first_of(" \t\n") == std::string_view::npos && is_within(name, text);
}

void check_stat(std::string_view text) {
  const auto stat = parse_proc_stat(text);
  SM_CHECK(!stat || text.starts_with("cpu") || text.find_first_of(" \t") == 0);
  if (!stat) return;
  SM_CHECK(stat->cpus.size() <= text.size() / 4 && stat->irqs.size() <= text.size());
  const auto more = parse_proc_stat(std::string(text) + "\nunknown 1 2 3\n");
  SM_CHECK(more && more->all == stat->all && more->cpus.size() == stat->cpus.size());
  SM_CHECK(more->context_switches == stat->context_switches && more->irqs == stat->irqs);
}

void check_devices(std::string_view text) {
  for (const Disk& disk : parse_disks(text)) {
    SM_CHECK(is_name(disk.name, text) && !disk.name.starts_with("loop") && !disk.name.starts_with("ram"));
    SM_CHECK(disk.reads.operations + disk.writes.operations != 0 || disk.reads.operations != 0);
    SM_CHECK(disk.reads.bytes % 512 == 0 && disk.writes.bytes % 512 == 0);
    SM_CHECK(!disk.flushes || disk.discards);
  }
  for (const Interface& one : parse_interfaces(text)) SM_CHECK(is_name(one.name, text) && one.name != "lo");
}

void check_mounts(std::string_view text) {
  constexpr size_t kMax = 20;
  const FilesystemList list = list_filesystems(text, kMax);
  SM_CHECK(list.filesystems.size() <= kMax && list.filesystems.size() + list.left_out <= text.size());
  std::set<uint64_t> numbers;
  for (const Filesystem& one : list.filesystems) {
    SM_CHECK(one.mount.starts_with('/') && one.mount.size() <= kMountBytesMax && !one.type.empty());
    SM_CHECK(numbers.insert(one.device_number).second);
  }
}

void check_words(std::string_view text) {
  size_t lines = 0;
  for (std::string_view rest = text; !rest.empty(); ++lines) {
    std::string_view line = next_line(rest);
    SM_CHECK(is_within(line, text) && line.find('\n') == std::string_view::npos);
    const std::string_view word = next_word(line);
    SM_CHECK(word.find_first_of(" \t") == std::string_view::npos);
    if (word.empty() || word.ends_with(':')) continue;
    find_number_of(text, word, word);
    find_column(text, word, word);
    find_node_number(text, word);
    const auto number = find_number(text, word);
    SM_CHECK(number == find_number(std::string(text) + "\n", word));
    if (lines > 20) return;  // find_number() reads all lines
  }
}

void check_tables(std::string_view text) {
  constexpr std::array<std::string_view, 2> kColumns = {"entries", "drop"};
  const auto sums = sums_of_columns(text, kColumns);
  SM_CHECK(sums.size() == kColumns.size());
  for (size_t i = 0; i < kColumns.size(); ++i) {
    SM_CHECK(!sums[i] || text.find(kColumns[i]) != std::string_view::npos);
    SM_CHECK(!sums[i] || first_of_column(text, kColumns[i]));
  }
  SM_CHECK(parse_softnet(text).size() <= text.size() / 5);
  uint64_t entries = 0;
  for (const auto& [device, count] : count_arp_entries(text)) {
    SM_CHECK(is_name(device, text));
    entries += count;
  }
  SM_CHECK(entries <= text.size() / 11);
  const NfsCounts nfs = parse_nfs(text);
  SM_CHECK(nfs.version_3.size() <= text.size() && nfs.version_4.size() <= text.size());
  SM_CHECK(!nfs.retransmits || text.find("rpc") != std::string_view::npos);
  if (const auto hits = find_kstat(text, "hits"))
    SM_CHECK(find_kstat(std::string(text) + "\nhits 4 1\n", "hits") == hits);
}

// What follows the first line of /proc/PID/stat changes nothing, unless it looks like the end of a name.
void check_process(std::string_view text) {
  if (const auto stat = parse_process_stat(text)) {
    SM_CHECK(is_within(stat->name, text) && stat->state < kProcessStates.size());
    const std::string longer = std::string(text) + "\n0 0 0\n";
    const auto more = parse_process_stat(longer);
    SM_CHECK(more && more->name == stat->name && more->cpu_ticks == stat->cpu_ticks);
  }
  const std::string name = program_name(text);
  SM_CHECK(!name.empty() && name.size() <= kProgramNameBytesMax && !has_hidden_character(name));
  for (std::string_view rest = name; !rest.empty(); rest.remove_prefix(utf8_length(rest)))
    SM_CHECK(utf8_length(rest) > 0 && (rest.size() != 1 || rest[0] >= ' '));
  SM_CHECK(program_name(name) == name);
  const auto session = parse_login_session(text);
  SM_CHECK(!session || text.find("CLASS=") != std::string_view::npos);
}

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const CostBound bound(size);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_stat(text);
  check_devices(text);
  check_mounts(text);
  constexpr size_t kNumbersMax = 50;
  const std::vector<size_t> numbers = parse_number_list(text, kNumbersMax);
  SM_CHECK(numbers.size() <= kNumbersMax && std::is_sorted(numbers.begin(), numbers.end()));
  if (const auto uptime = parse_uptime(text)) SM_CHECK(std::isfinite(*uptime) && *uptime >= 0);
  check_words(text);
  check_process(text);
  check_tables(text);
  if (const auto load = parse_load_averages(text))
    for (const double average : load->load) SM_CHECK(std::isfinite(average));
  const Pressure pressure = parse_pressure(text);
  SM_CHECK((!pressure.some_total_us && !pressure.full_total_us) ||
           text.find("total=") != std::string_view::npos);
  return 0;
}
