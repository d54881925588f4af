// Memory from text: the use of RAM and swap (/proc/meminfo), paging and kills (/proc/vmstat).
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"
#include "base/number_text.h"

namespace statmill {
namespace {

// Kernels without a feature lack what belongs to it, so only what all kernels have is missed.
enum class Presence : uint8_t { kAlways, kSometimes };
struct Level {
  std::string_view key;
  GaugeFamily family;
  Presence presence = Presence::kSometimes;
  bool is_count = false;  // otherwise in KiB
};
// Ascending by key.
constexpr Level kMeminfo[] = {
    {"Active", "host.memory.active_bytes"},
    {"Active(anon)", "host.memory.active_anon_bytes"},
    {"Active(file)", "host.memory.active_file_bytes"},
    {"AnonHugePages", "host.memory.anon_huge_page_bytes"},
    {"AnonPages", "host.memory.anon_bytes"},
    {"Buffers", "host.memory.buffers_bytes", Presence::kAlways},
    {"Cached", "host.memory.cached_bytes", Presence::kAlways},
    {"CommitLimit", "host.memory.commit_limit_bytes"},
    {"Committed_AS", "host.memory.committed_bytes"},
    {"Dirty", "host.memory.dirty_bytes", Presence::kAlways},
    {"HardwareCorrupted", "host.memory.hardware_corrupted_bytes"},
    {"HugePages_Free", "host.memory.huge_pages_free", Presence::kSometimes, true},
    {"HugePages_Rsvd", "host.memory.huge_pages_reserved", Presence::kSometimes, true},
    {"HugePages_Surp", "host.memory.huge_pages_surplus", Presence::kSometimes, true},
    {"HugePages_Total", "host.memory.huge_pages", Presence::kSometimes, true},
    {"Hugepagesize", "host.memory.huge_page_size_bytes"},
    {"Inactive", "host.memory.inactive_bytes"},
    {"Inactive(anon)", "host.memory.inactive_anon_bytes"},
    {"Inactive(file)", "host.memory.inactive_file_bytes"},
    {"KernelStack", "host.memory.kernel_stack_bytes"},
    {"Mapped", "host.memory.mapped_bytes"},
    {"MemAvailable", "host.memory.available_bytes", Presence::kAlways},
    {"MemFree", "host.memory.free_bytes", Presence::kAlways},
    {"MemTotal", "host.memory.total_bytes", Presence::kAlways},
    {"Mlocked", "host.memory.mlocked_bytes"},
    {"PageTables", "host.memory.page_table_bytes"},
    {"Percpu", "host.memory.percpu_bytes"},
    {"SReclaimable", "host.memory.slab_reclaimable_bytes"},
    {"SUnreclaim", "host.memory.slab_unreclaimable_bytes"},
    {"Shmem", "host.memory.shmem_bytes"},
    {"Slab", "host.memory.slab_bytes", Presence::kAlways},
    {"SwapCached", "host.memory.swap_cached_bytes"},
    {"SwapFree", "host.memory.swap_free_bytes", Presence::kAlways},
    {"SwapTotal", "host.memory.swap_total_bytes", Presence::kAlways},
    {"Unevictable", "host.memory.unevictable_bytes"},
    {"VmallocUsed", "host.memory.vmalloc_used_bytes"},
    {"Writeback", "host.memory.writeback_bytes"},
};
static_assert(std::is_sorted(std::begin(kMeminfo), std::end(kMeminfo),
                             [](const Level& a, const Level& b) { return a.key < b.key; }));
constexpr uint64_t kKilobyte = 1024;  // the unit of meminfo, and of pgpgin and pgpgout

struct Count {
  std::string_view key;
  EventFamily family;
  enum class Unit : uint8_t { kOne, k1024, kPage } unit = Unit::kOne;
};
constexpr Count kVmstat[] = {
    {"pgfault", "host.memory.page_faults"},
    {"pgmajfault", "host.memory.major_page_faults"},
    {"pgpgin", "host.memory.paged_in_bytes", Count::Unit::k1024},
    {"pgpgout", "host.memory.paged_out_bytes", Count::Unit::k1024},
    {"pswpin", "host.memory.swapped_in_bytes", Count::Unit::kPage},
    {"pswpout", "host.memory.swapped_out_bytes", Count::Unit::kPage},
    {"pgsteal_direct", "host.memory.direct_reclaimed_pages"},
    {"oom_kill", "host.memory.oom_kills"},
};

class MemoryText final : public Collector {
 public:
  explicit MemoryText(ProcReader& proc)
      : proc_(proc), page_(static_cast<uint64_t>(::sysconf(_SC_PAGESIZE))) {}

  std::string_view name() const override { return "memory"; }

  CollectorStatus collect(MetricSink& sink) override {
    std::string missing;
    const size_t found = read_meminfo(sink, missing) + read_vmstat(sink, missing);
    if (found == 0) return CollectorStatus::unavailable("missing:" + missing);
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("missing:" + missing);
  }

 private:
  // Both return how many of the keys the file has, and append to `missing` what it should have and has not.
  size_t read_meminfo(MetricSink& sink, std::string& missing) {
    const Result<std::string_view> text = read("meminfo", missing);
    if (!text) return 0;
    std::array<bool, std::size(kMeminfo)> is_there{};
    for (std::string_view rest = *text; !rest.empty();) {
      std::string_view line = next_line(rest);
      std::string_view key = next_word(line);
      if (!key.ends_with(':')) continue;
      key.remove_suffix(1);
      const Level* const level =
          std::lower_bound(std::begin(kMeminfo), std::end(kMeminfo), key,
                           [](const Level& one, std::string_view k) { return one.key < k; });
      if (level == std::end(kMeminfo) || level->key != key) continue;
      const std::optional<uint64_t> value = parse_as<uint64_t>(next_word(line));
      if (!value) continue;
      sink.gauge(level->family,
                 static_cast<double>(*value) * static_cast<double>(level->is_count ? 1 : kKilobyte));
      is_there.at(static_cast<size_t>(level - std::begin(kMeminfo))) = true;
    }
    for (size_t i = 0; i < is_there.size(); ++i) {
      if (!is_there.at(i) && kMeminfo[i].presence == Presence::kAlways)
        missing.append(" ").append(kMeminfo[i].key);
    }
    return static_cast<size_t>(std::count(is_there.begin(), is_there.end(), true));
  }

  size_t read_vmstat(MetricSink& sink, std::string& missing) {
    const Result<std::string_view> text = read("vmstat", missing);
    size_t found = 0;
    for (const Count& count : kVmstat) {
      const auto value = find(text, count.key, missing);
      if (value) sink.total(count.family, *value * bytes_of(count.unit));
      if (value) ++found;
    }
    return found;
  }

  Result<std::string_view> read(const std::string& file, std::string& missing) {
    Result<std::string_view> text = proc_.read(file);
    if (!text) missing.append(" ").append(text.error().message);
    return text;
  }

  static std::optional<uint64_t> find(const Result<std::string_view>& text, std::string_view key,
                                      std::string& missing) {
    if (!text) return std::nullopt;
    const std::optional<uint64_t> value = find_number(*text, key);
    if (!value) missing.append(" ").append(key);
    return value;
  }

  uint64_t bytes_of(Count::Unit unit) const {
    if (unit == Count::Unit::kOne) return 1;
    return unit == Count::Unit::kPage ? page_ : kKilobyte;
  }

  ProcReader& proc_;
  const uint64_t page_;
};

}  // namespace

std::unique_ptr<Collector> make_memory_text(ProcReader& proc) { return std::make_unique<MemoryText>(proc); }

}  // namespace statmill
