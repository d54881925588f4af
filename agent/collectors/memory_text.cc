// Memory from text: the use of RAM and swap (/proc/meminfo), paging and kills (/proc/vmstat).
#include <unistd.h>

#include <string>

#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

struct Level {
  std::string_view key;
  GaugeFamily family;
};
constexpr Level kMeminfo[] = {{"MemTotal", "host.memory.total_bytes"},
                              {"MemFree", "host.memory.free_bytes"},
                              {"MemAvailable", "host.memory.available_bytes"},
                              {"Buffers", "host.memory.buffers_bytes"},
                              {"Cached", "host.memory.cached_bytes"},
                              {"SwapTotal", "host.memory.swap_total_bytes"},
                              {"SwapFree", "host.memory.swap_free_bytes"},
                              {"Dirty", "host.memory.dirty_bytes"},
                              {"Slab", "host.memory.slab_bytes"}};
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
  // Both return how many of the keys the file has, and append the others to `missing`.
  size_t read_meminfo(MetricSink& sink, std::string& missing) {
    const Result<std::string_view> text = read("meminfo", missing);
    size_t found = 0;
    for (const Level& level : kMeminfo) {
      const auto value = find(text, level.key, missing);
      if (value) sink.gauge(level.family, static_cast<double>(*value * kKilobyte));
      if (value) ++found;
    }
    return found;
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
