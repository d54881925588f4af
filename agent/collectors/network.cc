// The network collector: traffic, errors and drops of each interface except the loopback.
#include "agent/collectors/collector.h"

#include <algorithm>

#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

constexpr size_t kInterfacesMax = 512;

class NetworkCollector final : public Collector {
 public:
  explicit NetworkCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "network"; }

  CollectorStatus collect(MetricSink& sink) override {
    const Result<std::string_view> text = proc_.read("net/dev");
    if (!text) return CollectorStatus::unavailable(text.error().message);
    const std::vector<Interface> interfaces = parse_interfaces(*text);
    for (size_t i = 0; i < std::min(interfaces.size(), kInterfacesMax); ++i) {
      const std::string base = "network." + series_part(interfaces[i].name);
      report(base + ".rx_", interfaces[i].received, sink);
      report(base + ".tx_", interfaces[i].transmitted, sink);
    }
    return interfaces.size() <= kInterfacesMax ? CollectorStatus{}
                                               : CollectorStatus::degraded("only the first 512 interfaces");
  }

 private:
  static void report(const std::string& base, const InterfaceTraffic& traffic, MetricSink& sink) {
    sink.total(base + "bytes", traffic.bytes);
    sink.total(base + "packets", traffic.packets);
    sink.total(base + "errors", traffic.errors);
    sink.total(base + "drops", traffic.drops);
  }

  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_network_collector(ProcReader& proc) {
  return std::make_unique<NetworkCollector>(proc);
}

}  // namespace statmill
