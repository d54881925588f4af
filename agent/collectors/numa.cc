// The numa collector: memory and allocations of each NUMA node, from /sys/devices/system/node, once in 10 s.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"
#include "agent/collectors/slot_cadence.h"

namespace statmill {
namespace {

constexpr size_t kNodesMax = 64;  // with their own series
struct NodeLevel {
  std::string_view key;
  GaugeFamily family;
};
constexpr NodeLevel kNodeMeminfo[] = {{"MemTotal", "host.numa.total_bytes"},
                                      {"MemFree", "host.numa.free_bytes"},
                                      {"FilePages", "host.numa.file_bytes"},
                                      {"AnonPages", "host.numa.anon_bytes"},
                                      {"Slab", "host.numa.slab_bytes"}};

struct NodeCount {
  std::string_view key;
  EventFamily family;
};
constexpr NodeCount kNumastat[] = {{"numa_hit", "host.numa.hits"},
                                   {"numa_miss", "host.numa.misses"},
                                   {"numa_foreign", "host.numa.foreign"},
                                   {"local_node", "host.numa.local"},
                                   {"other_node", "host.numa.other"}};

class NumaCollector final : public Collector {
 public:
  NumaCollector(std::string directory, const Clock& clock) : nodes_(std::move(directory)), clock_(clock) {}

  std::string_view name() const override { return "numa"; }

  CollectorStatus collect(MetricSink& sink) override {
    if (cadence_.is_due(clock_.wall())) return status_ = read(sink);
    sink.keep("host.numa.");
    return status_;
  }

 private:
  CollectorStatus read(MetricSink& sink) {
    const Result<std::string_view> text = nodes_.read("online");
    if (!text) return CollectorStatus::unavailable(text.error().message);
    const std::vector<size_t> nodes = parse_number_list(*text, kNodesMax + 1);
    if (nodes.empty()) return CollectorStatus::unavailable("online has an unknown format");
    std::string missing;
    for (size_t i = 0; i < std::min(nodes.size(), kNodesMax); ++i)
      read_node(std::to_string(nodes[i]), sink, missing);
    if (nodes.size() > kNodesMax) missing += " nodes after the first 64";
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("missing:" + missing);
  }

  void read_node(const std::string& node, MetricSink& sink, std::string& missing) {
    // Format: Node 0 MemTotal: 9005272 kB
    if (const auto text = read_file("node" + node + "/meminfo", missing)) {
      for (const NodeLevel& level : kNodeMeminfo) {
        const std::optional<uint64_t> value = find_node_number(*text, level.key);
        if (value) sink.gauge(level.family, {node}, static_cast<double>(*value) * 1024);
      }
    }
    if (const auto text = read_file("node" + node + "/numastat", missing)) {
      for (const NodeCount& count : kNumastat) {
        const std::optional<uint64_t> value = find_number(*text, count.key);
        if (value) sink.total(count.family, {node}, *value);
      }
    }
  }

  std::optional<std::string_view> read_file(const std::string& file, std::string& missing) {
    const Result<std::string_view> text = nodes_.read(file);
    if (text) return *text;
    missing.append(" ").append(text.error().message);
    return std::nullopt;
  }

  ProcReader nodes_;  // keeps two files of each node open
  const Clock& clock_;
  SlotCadence cadence_;
  CollectorStatus status_;
};

}  // namespace

std::unique_ptr<Collector> make_numa_collector(const std::string& directory, const Clock& clock) {
  return std::make_unique<NumaCollector>(directory, clock);
}

}  // namespace statmill
