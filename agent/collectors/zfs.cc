// The zfs collector: the cache of ZFS in RAM (ARC) and on disks (L2ARC), from /proc/spl/kstat/zfs/arcstats. A
// host without ZFS has no such file.
#include <optional>
#include <string>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/host_text.h"

namespace statmill {
namespace {

struct ArcLevel {
  std::string_view key;
  GaugeFamily family;
};
constexpr ArcLevel kArcLevels[] = {
    {"size", "host.zfs.arc_bytes"}, {"c", "host.zfs.arc_target_bytes"}, {"c_max", "host.zfs.arc_max_bytes"}};
struct ArcCount {
  std::string_view key;
  EventFamily family;
};
constexpr ArcCount kArcCounts[] = {{"hits", "host.zfs.arc_hits"},
                                   {"misses", "host.zfs.arc_misses"},
                                   {"memory_throttle_count", "host.zfs.arc_throttles"}};
constexpr ArcCount kDiskCounts[] = {{"l2_hits", "host.zfs.l2arc_hits"},
                                    {"l2_misses", "host.zfs.l2arc_misses"}};

class ZfsCollector final : public Collector {
 public:
  explicit ZfsCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "zfs"; }

  CollectorStatus collect(MetricSink& sink) override {
    const Result<std::string_view> text = proc_.read("spl/kstat/zfs/arcstats");
    if (!text && text.error().code == ErrorCode::kNotFound) return {};
    if (!text) return CollectorStatus::unavailable(text.error().message);
    std::string missing;
    for (const ArcLevel& level : kArcLevels) {
      const std::optional<uint64_t> value = find_kstat(*text, level.key);
      if (value) sink.gauge(level.family, static_cast<double>(*value));
      if (!value) missing.append(" ").append(level.key);
    }
    for (const ArcCount& count : kArcCounts) {
      const std::optional<uint64_t> value = find_kstat(*text, count.key);
      if (value) sink.total(count.family, *value);
      if (!value) missing.append(" ").append(count.key);
    }
    report_disk_cache(*text, sink);
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("arcstats lacks" + missing);
  }

 private:
  // Its numbers are all 0 on a host without one.
  static void report_disk_cache(std::string_view text, MetricSink& sink) {
    const std::optional<uint64_t> bytes = find_kstat(text, "l2_size");
    const uint64_t hits = find_kstat(text, "l2_hits").value_or(0);
    if (bytes.value_or(0) == 0 && hits == 0) return;
    if (bytes) sink.gauge("host.zfs.l2arc_bytes", static_cast<double>(*bytes));
    for (const ArcCount& count : kDiskCounts) {
      const std::optional<uint64_t> value = find_kstat(text, count.key);
      if (value) sink.total(count.family, *value);
    }
  }

  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_zfs_collector(const HostSources& sources) {
  return std::make_unique<ZfsCollector>(sources.proc);
}

}  // namespace statmill
