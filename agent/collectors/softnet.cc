// The softnet collector: packets that each CPU received from drivers, dropped, and left for later, from
// /proc/net/softnet_stat.
#include <map>
#include <string>
#include <vector>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/host_text.h"
#include "agent/collectors/wrapping_total.h"

namespace statmill {
namespace {

constexpr uint64_t kSoftnetCpusMax = 1024;  // with series

class SoftnetCollector final : public Collector {
 public:
  explicit SoftnetCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "softnet"; }

  CollectorStatus collect(MetricSink& sink) override {
    const Result<std::string_view> text = proc_.read("net/softnet_stat");
    if (!text) return CollectorStatus::unavailable(text.error().message);
    const std::vector<SoftnetCpu> cpus = parse_softnet(*text);
    if (cpus.empty()) return CollectorStatus::unavailable("softnet_stat has an unknown format");
    bool left_out = false;
    for (const SoftnetCpu& counts : cpus) {
      left_out |= counts.cpu >= kSoftnetCpusMax;
      if (counts.cpu < kSoftnetCpusMax) report(counts, sink);
    }
    return left_out ? CollectorStatus::degraded("only the first 1024 CPUs") : CollectorStatus{};
  }

 private:
  struct Totals {
    WrappingTotal packets;
    WrappingTotal drops;
    WrappingTotal squeezes;
  };

  void report(const SoftnetCpu& counts, MetricSink& sink) {
    const std::string cpu = std::to_string(counts.cpu);
    Totals& totals = totals_[counts.cpu];
    sink.total("host.softnet.packets", {cpu}, totals.packets.advance(counts.packets));
    sink.total("host.softnet.drops", {cpu}, totals.drops.advance(counts.drops));
    sink.total("host.softnet.squeezes", {cpu}, totals.squeezes.advance(counts.squeezes));
  }

  ProcReader& proc_;
  std::map<uint64_t, Totals> totals_;  // by CPU
};

}  // namespace

std::unique_ptr<Collector> make_softnet_collector(const HostSources& sources) {
  return std::make_unique<SoftnetCollector>(sources.proc);
}

}  // namespace statmill
