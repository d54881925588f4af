// Block devices from eBPF: latency and errors of each device and operation.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"
#include "bpf/block.h"

namespace statmill {
namespace {

constexpr std::array<std::string_view, BLOCK_OPS> kOps = {"read", "write", "flush", "discard", "other"};

class BlockEbpf final : public BpfCollector {
 public:
  BlockEbpf(LoadedProbe probe, std::string devices)
      : BpfCollector("block", std::move(probe)), devices_(std::move(devices)) {}

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<block_bank> report(probe, "block_banks", sink);
    if (has_program(probe, "block_complete")) report_slots(report.banks(), sink);
    for (size_t i = 0; i < kOps.size(); ++i) {
      report.distribution("block_complete", "host.block.queue_wait_ns", {kOps[i]},
                          [i](const block_bank& bank) -> const h2_cells& { return bank.queue_ns[i]; });
    }
    report.total("block_requeue", "host.block.requeues", {}, &block_bank::requeues);
    report.total("block_complete", "host.agent.ebpf_discarded", {"block", "request"}, &block_bank::discarded);
    report.total("block_complete", "host.agent.ebpf_slots_missed", {"block"}, &block_bank::slots_missed);
    return {};
  }

 private:
  struct Totals {
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
        totals.errors += load_cell(slot.errors);
        totals.latency.add(slot.latency_ns);
      }
    }
    for (const auto& [key, totals] : all) {
      const size_t op = (key & 0xff) - 1;
      if (op >= kOps.size()) continue;
      const std::string device = name_of(key);
      sink.total("host.block.errors", {device, kOps[op]}, totals.errors);
      sink.distribution("host.block.latency_ns", {device, kOps[op]}, totals.latency.distribution());
    }
  }

  // Returns the last part of the device's link, or the numbers if the link no longer exists.
  std::string name_of(uint64_t key) const {
    const std::string major = std::to_string(key >> 32);
    const std::string minor = std::to_string(key >> 8 & 0xffffff);
    std::array<char, 512> target{};
    const ssize_t length =
        ::readlink((devices_ + "/" + major + ":" + minor).c_str(), target.data(), target.size());
    if (length <= 0) return major + ":" + minor;
    const std::string_view path(target.data(), static_cast<size_t>(length));
    std::string name(path.substr(path.rfind('/') + 1));
    std::replace(name.begin(), name.end(), '!', '/');  // as in /proc/diskstats
    return name;
  }

  const std::string devices_;
};

}  // namespace

std::unique_ptr<Collector> make_block_ebpf(LoadedProbe probe, const BpfEnvironment& environment) {
  return std::make_unique<BlockEbpf>(std::move(probe), environment.devices);
}

}  // namespace statmill
