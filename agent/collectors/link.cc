// The link collector: state and speed of each network interface except the loopback, from /sys/class/net.
//
// The kernel answers for carrier, speed and duplex under a lock that a change of the network may hold for
// long, and some drivers ask their hardware. So a thread reads them (slow_collector.h).
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/slow_collector.h"
#include "agent/collectors/sys_reader.h"
#include "agent/collectors/sys_status.h"

namespace statmill {
namespace {

constexpr size_t kLinksMax = 512;
constexpr double kMegabit = 1'000'000.0 / 8;  // in bytes

struct Link {
  std::string device;
  std::optional<bool> is_up;  // nullopt: the driver does not say
  std::optional<bool> has_carrier;
  std::optional<bool> is_full_duplex;
  std::optional<uint64_t> carrier_changes;
  std::optional<uint64_t> mtu_bytes;
  std::optional<uint64_t> speed_mbit;
};

// The states of RFC 2863: down, lowerlayerdown, testing, dormant and notpresent pass no traffic.
std::optional<bool> is_up_of(std::string_view operstate) {
  if (operstate == "unknown") return std::nullopt;
  return operstate == "up";
}

std::optional<bool> is_full_of(std::string_view duplex) {
  if (duplex != "full" && duplex != "half") return std::nullopt;
  return duplex == "full";
}

class LinkSource final : public SlowSource {
 public:
  explicit LinkSource(std::string sys) : sys_(std::move(sys)) {}

  std::string_view name() const override { return "link"; }

  void read() override {
    links_.clear();
    sys_.forget_refused();
    const std::optional<std::vector<std::string>> names = sys_.names("class/net");
    is_there_ = names.has_value();
    is_over_limit_ = false;
    if (!names) return;
    for (const std::string& device : *names) {
      if (device != "lo") add(device);
    }
  }

  CollectorStatus report(MetricSink& sink) override {
    if (!is_there_) return CollectorStatus::unavailable("class/net is not readable");
    for (const Link& link : links_) report_link(link, sink);
    return sys_status(sys_, !links_.empty(), is_over_limit_ ? "only the first 512 interfaces" : "");
  }

  void keep(MetricSink& sink) const override {
    for (const char* path : {"up;", "carrier", "full_duplex;", "mtu_bytes;", "speed_bytes_per_second;"})
      sink.keep(std::string("host.net.") + path);
  }
  std::string waits_for() const override { return sys_.waits_for(); }

 private:
  void add(const std::string& device) {
    const std::string folder = "class/net/" + device + "/";
    const std::optional<std::string_view> state = sys_.text(folder + "operstate");
    if (!state) return;  // not an interface (bonding_masters), or just removed
    if (links_.size() == kLinksMax) {
      is_over_limit_ = true;
      return;
    }
    Link link{.device = device,
              .is_up = is_up_of(*state),
              .has_carrier = {},
              .is_full_duplex = {},
              .carrier_changes = sys_.count(folder + "carrier_changes"),
              .mtu_bytes = sys_.count(folder + "mtu"),
              .speed_mbit = {}};
    const std::optional<uint64_t> carrier = sys_.count(folder + "carrier");  // EINVAL while it is set down
    if (carrier) link.has_carrier = *carrier == 1;
    if (carrier == 1) {  // else the last speed, or nonsense
      link.speed_mbit = speed_of(folder);
      const std::optional<std::string_view> duplex = sys_.text(folder + "duplex");
      if (duplex) link.is_full_duplex = is_full_of(*duplex);
    }
    links_.push_back(std::move(link));
  }

  // Virtual interfaces fail with EINVAL, or say -1: in 32 bits on old kernels.
  std::optional<uint64_t> speed_of(const std::string& folder) {
    const std::optional<uint64_t> mbit = sys_.count(folder + "speed");
    return mbit && *mbit > 0 && *mbit < UINT32_MAX ? mbit : std::nullopt;
  }

  static void report_link(const Link& link, MetricSink& sink) {
    if (link.is_up) sink.gauge("host.net.up", {link.device}, *link.is_up ? 1 : 0);
    if (link.has_carrier) sink.gauge("host.net.carrier", {link.device}, *link.has_carrier ? 1 : 0);
    if (link.is_full_duplex) sink.gauge("host.net.full_duplex", {link.device}, *link.is_full_duplex ? 1 : 0);
    if (link.carrier_changes) sink.total("host.net.carrier_changes", {link.device}, *link.carrier_changes);
    if (link.mtu_bytes) sink.gauge("host.net.mtu_bytes", {link.device}, static_cast<double>(*link.mtu_bytes));
    if (link.speed_mbit)
      sink.gauge("host.net.speed_bytes_per_second", {link.device},
                 static_cast<double>(*link.speed_mbit) * kMegabit);
  }

  SysReader sys_;
  std::vector<Link> links_;
  bool is_there_ = false;
  bool is_over_limit_ = false;
};

}  // namespace

std::unique_ptr<Collector> make_link_collector(const HostSources& sources) {
  return make_slow_collector(std::make_unique<LinkSource>(sources.sys), sources.clock, sources.log);
}

}  // namespace statmill
