// The block collector: requests, bytes, errors and latency of each block device and operation.
#include <unistd.h>

#include <array>
#include <map>

#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"
#include "bpf/block.h"

namespace statmill {
namespace {

constexpr std::array<std::string_view, BLOCK_OPS> kOps = {"read", "write", "flush", "discard", "other"};

class BlockCollector final : public BpfCollector {
 public:
  BlockCollector(LoadedProbe probe, std::string devices)
      : BpfCollector("block", std::move(probe)), devices_(std::move(devices)) {}

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<block_bank> report(probe, "block_banks", sink);
    if (has_program(probe, "block_complete")) report_slots(report.banks(), sink);
    for (size_t i = 0; i < kOps.size(); ++i) {
      report.distribution("block_complete", "block.queue." + std::string(kOps[i]) + "_ns",
                          [i](const block_bank& bank) -> const h2_cells& { return bank.queue_ns[i]; });
    }
    report.total("block_requeue", "block.requeues", &block_bank::requeues);
    report.total("block_complete", "block.discarded", &block_bank::discarded);
    report.total("block_complete", "block.slots_missed", &block_bank::slots_missed);
    return {};
  }

 private:
  struct Totals {
    uint64_t ops = 0;
    uint64_t bytes = 0;
    uint64_t errors = 0;
    H2Total latency;
  };

  void report_slots(std::span<block_bank> banks, MetricSink& sink) const {
    std::map<uint64_t, Totals> all;
    for (const block_bank& bank : banks) {
      for (const block_slot& slot : bank.slots) {
        const uint64_t key = load_cell(slot.key);
        if (key == 0) continue;
        Totals& totals = all[key];
        totals.ops += load_cell(slot.ops);
        totals.bytes += load_cell(slot.bytes);
        totals.errors += load_cell(slot.errors);
        totals.latency.add(slot.latency_ns);
      }
    }
    for (const auto& [key, totals] : all) {
      const size_t op = (key & 0xff) - 1;
      if (op >= kOps.size()) continue;
      const std::string base = "block." + name_of(key) + "." + std::string(kOps[op]) + ".";
      sink.total(base + "ops", totals.ops);
      sink.total(base + "bytes", totals.bytes);
      sink.total(base + "errors", totals.errors);
      sink.distribution(base + "latency_ns", totals.latency.distribution());
    }
  }

  // Returns the last part of the device's link, or the numbers if the link no longer exists.
  std::string name_of(uint64_t key) const {
    const std::string major = std::to_string(key >> 32);
    const std::string minor = std::to_string(key >> 8 & 0xffffff);
    std::array<char, 512> target{};
    const ssize_t length =
        ::readlink((devices_ + "/" + major + ":" + minor).c_str(), target.data(), target.size());
    if (length <= 0) return major + "_" + minor;
    const std::string_view path(target.data(), static_cast<size_t>(length));
    return series_part(path.substr(path.rfind('/') + 1));
  }

  const std::string devices_;
};

}  // namespace

std::unique_ptr<Collector> make_block_collector(LoadedProbe probe, const BpfEnvironment& environment) {
  return std::make_unique<BlockCollector>(std::move(probe), environment.devices);
}

}  // namespace statmill
