// Block devices from text: requests, bytes and time of each whole device.
#include "agent/collectors/collector.h"

#include <algorithm>

#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

constexpr size_t kDisksMax = 512;

class BlockText final : public Collector {
 public:
  explicit BlockText(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "block"; }

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
    constexpr uint64_t kMs = 1'000'000;  // in ns
    const auto add = [&](std::string_view op, const DiskWork& work) {
      sink.total("host.block.operations", {disk.name, op}, work.operations);
      sink.total("host.block.time_ns", {disk.name, op}, work.time_ms * kMs);
      if (op != "flush") sink.total("host.block.bytes", {disk.name, op}, work.bytes);
    };
    add("read", disk.reads);
    add("write", disk.writes);
    if (disk.discards) add("discard", *disk.discards);
    if (disk.flushes) add("flush", *disk.flushes);
    sink.total("host.block.busy_ns", {disk.name}, disk.io_ms * kMs);
    sink.gauge("host.block.in_flight", {disk.name}, static_cast<double>(disk.in_flight));
  }

  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_block_text(ProcReader& proc) { return std::make_unique<BlockText>(proc); }

}  // namespace statmill
