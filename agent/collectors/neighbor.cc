// The neighbor collector: how full the tables of neighbors are (ARP, NDISC) and what they had to drop, from
// /proc/net/stat, and the ARP entries of each interface, from /proc/net/arp. The last has a line per entry,
// so all is read only every 10 s.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/host_text.h"
#include "agent/collectors/slot_cadence.h"

namespace statmill {
namespace {

constexpr size_t kArpInterfacesMax = 512;
constexpr uint64_t kArpEntriesMax = 16'384;  // 1.3 MB of text, some 10 ms to read

constexpr std::array<std::string_view, 4> kNeighborColumns = {"res_failed", "unresolved_discards",
                                                              "forced_gc_runs", "table_fulls"};
constexpr EventFamily kNeighborFamilies[kNeighborColumns.size()] = {
    "host.neighbor.failures", "host.neighbor.discards", "host.neighbor.forced_cleanups",
    "host.neighbor.table_fulls"};

class NeighborCollector final : public Collector {
 public:
  NeighborCollector(ProcReader& proc, const Clock& clock) : proc_(proc), clock_(clock) {}

  std::string_view name() const override { return "neighbor"; }

  CollectorStatus collect(MetricSink& sink) override {
    if (!cadence_.is_due(clock_.wall())) {
      sink.keep("host.neighbor.");
      return status_;
    }
    return status_ = read_all(sink);
  }

 private:
  // Only the first network namespace has the tables; a kernel may lack IPv6.
  CollectorStatus read_all(MetricSink& sink) {
    const std::optional<uint64_t> arp_entries = report_table("net/stat/arp_cache", "ipv4", sink);
    report_table("net/stat/ndisc_cache", "ipv6", sink);
    if (arp_entries.value_or(0) > kArpEntriesMax)
      return CollectorStatus::degraded("interfaces are not counted: more than 16384 ARP entries");
    const Result<std::string_view> arp = proc_.read("net/arp");
    if (!arp) {
      return arp_entries ? CollectorStatus::degraded(arp.error().message)
                         : CollectorStatus::unavailable(arp.error().message);
    }
    size_t interfaces = 0;
    for (const auto& [device, count] : count_arp_entries(*arp)) {
      if (++interfaces > kArpInterfacesMax) return CollectorStatus::degraded("only the first 512 interfaces");
      sink.gauge("host.neighbor.arp_entries", {device}, static_cast<double>(count));
    }
    return {};
  }

  // Returns the number of entries; nullopt if the table is not there.
  std::optional<uint64_t> report_table(const char* file, std::string_view family, MetricSink& sink) {
    const Result<std::string_view> table = proc_.read(file);
    if (!table) return std::nullopt;
    const std::optional<uint64_t> entries = first_of_column(*table, "entries");
    if (entries) sink.gauge("host.neighbor.entries", {family}, static_cast<double>(*entries));
    const std::vector<std::optional<uint64_t>> sums = sums_of_columns(*table, kNeighborColumns);
    for (size_t i = 0; i < sums.size(); ++i) {
      if (sums[i]) sink.total(kNeighborFamilies[i], {family}, *sums[i]);  // old kernels lack some
    }
    return entries;
  }

  ProcReader& proc_;
  const Clock& clock_;
  SlotCadence cadence_;
  CollectorStatus status_;
};

}  // namespace

std::unique_ptr<Collector> make_neighbor_collector(const HostSources& sources) {
  return std::make_unique<NeighborCollector>(sources.proc, sources.clock);
}

}  // namespace statmill
