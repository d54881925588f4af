// The disk collector: requests, bytes and busy time of each whole block device.
#include "agent/collectors/collector.h"

#include <algorithm>

#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

constexpr size_t kDisksMax = 512;

class DiskCollector final : public Collector {
 public:
  explicit DiskCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "disk"; }

  CollectorStatus collect(MetricSink& sink) override {
    const Result<std::string_view> text = proc_.read("diskstats");
    if (!text) return CollectorStatus::unavailable(text.error().message);
    const std::vector<Disk> disks = parse_disks(*text);
    for (size_t i = 0; i < std::min(disks.size(), kDisksMax); ++i) report(disks[i], sink);
    return disks.size() <= kDisksMax ? CollectorStatus{}
                                     : CollectorStatus::degraded("only the first 512 disks");
  }

 private:
  static void report(const Disk& disk, MetricSink& sink) {
    const std::string base = "disk." + series_part(disk.name) + ".";
    sink.total(base + "reads", disk.reads);
    sink.total(base + "writes", disk.writes);
    sink.total(base + "read_bytes", disk.read_bytes);
    sink.total(base + "write_bytes", disk.write_bytes);
    sink.total(base + "io_ms", disk.io_ms);
    sink.gauge(base + "in_flight", static_cast<double>(disk.in_flight));
  }

  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_disk_collector(ProcReader& proc) {
  return std::make_unique<DiskCollector>(proc);
}

}  // namespace statmill
