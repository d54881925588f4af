// Network interfaces from text: traffic, errors and drops of each interface except the loopback.
#include "agent/collectors/collector.h"

#include <algorithm>

#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

constexpr size_t kInterfacesMax = 512;

class NetText final : public Collector {
 public:
  explicit NetText(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "net"; }

  CollectorStatus collect(MetricSink& sink) override {
    const Result<std::string_view> text = proc_.read("net/dev");
    if (!text) return CollectorStatus::unavailable(text.error().message);
    const std::vector<Interface> interfaces = parse_interfaces(*text);
    for (size_t i = 0; i < std::min(interfaces.size(), kInterfacesMax); ++i) {
      report(interfaces[i].name, "receive", interfaces[i].received, sink);
      report(interfaces[i].name, "transmit", interfaces[i].transmitted, sink);
    }
    return interfaces.size() <= kInterfacesMax ? CollectorStatus{}
                                               : CollectorStatus::degraded("only the first 512 interfaces");
  }

 private:
  static void report(std::string_view device, std::string_view direction, const InterfaceTraffic& traffic,
                     MetricSink& sink) {
    sink.total("host.net.bytes", {device, direction}, traffic.bytes);
    sink.total("host.net.packets", {device, direction}, traffic.packets);
    sink.total("host.net.errors", {device, direction}, traffic.errors);
    sink.total("host.net.drops", {device, direction}, traffic.drops);
  }

  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_net_text(ProcReader& proc) { return std::make_unique<NetText>(proc); }

}  // namespace statmill
