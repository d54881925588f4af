// The libvirt collector: virtual machines and their virtual CPUs, as the cgroups tell in which libvirt runs
// them: machine-qemu\x2d3\x2dweb1.scope has a cgroup for each virtual CPU.
//
// The kernel counts guests of KVM only in debugfs, which only root may read.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/collectors/cgroup_tree.h"
#include "agent/collectors/host_collectors.h"
#include "agent/collectors/slot_cadence.h"
#include "agent/collectors/sys_reader.h"
#include "base/hidden_characters.h"
#include "base/number_text.h"

namespace statmill {
namespace {

constexpr size_t kGuestsMax = 512;
constexpr size_t kGuestNameBytesMax = 128;
constexpr std::string_view kGuestPrefix = "machine-qemu\\x2d";
constexpr std::string_view kGuestEnd = ".scope";

// Undoes systemd's escapes of one character, "\x2d".
std::string unescaped_unit(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const bool is_escape = text.starts_with("\\x") && text.size() >= 4;
    const std::optional<uint8_t> byte = is_escape ? parse_as<uint8_t>(text.substr(2, 2), 16) : std::nullopt;
    out.push_back(byte ? static_cast<char>(*byte) : text.front());
    text.remove_prefix(byte ? 4 : 1);
  }
  return out;
}

// "web1" of machine-qemu\x2d3\x2dweb1.scope, where 3 is the number of this run. Empty if it is no guest, or
// has a name that no series may have.
std::string guest_of(std::string_view scope) {
  if (!scope.starts_with(kGuestPrefix) || !scope.ends_with(kGuestEnd)) return {};
  scope.remove_prefix(kGuestPrefix.size());
  scope.remove_suffix(std::min(kGuestEnd.size(), scope.size()));
  std::string name = unescaped_unit(scope);
  const size_t dash = name.find('-');
  if (dash == std::string::npos || !parse_as<uint32_t>(std::string_view(name).substr(0, dash))) return {};
  name.erase(0, dash + 1);
  return name.size() <= kGuestNameBytesMax && !has_hidden_character(name) ? name : std::string();
}

class LibvirtCollector final : public Collector {
 public:
  LibvirtCollector(std::string sys, const Clock& clock) : sys_(std::move(sys)), clock_(clock) {}

  std::string_view name() const override { return "libvirt"; }

  CollectorStatus collect(MetricSink& sink) override {
    if (!cadence_.is_due(clock_.wall())) {
      sink.keep("host.libvirt.");
      return status_;
    }
    return status_ = read_all(sink);
  }

 private:
  CollectorStatus read_all(MetricSink& sink) {
    for (const std::string folder : {"fs/cgroup/machine.slice/", "fs/cgroup/cpu,cpuacct/machine.slice/",
                                     "fs/cgroup/cpu/machine.slice/"}) {
      const auto scopes = sys_.names(folder, kGuestPrefix);
      if (scopes) return read_guests(folder, *scopes, sink);
    }
    return {};  // nothing has been registered with systemd as a machine since the host booted
  }

  CollectorStatus read_guests(const std::string& folder, const std::vector<std::string>& scopes,
                              MetricSink& sink) {
    size_t guests = 0;
    for (const std::string& scope : scopes) {
      const std::string guest = guest_of(scope);
      if (guest.empty() || ++guests > kGuestsMax) continue;
      if (const size_t cpus = virtual_cpus_of(folder + scope); cpus > 0)
        sink.gauge("host.libvirt.vcpus", {guest}, static_cast<double>(cpus));
    }
    sink.gauge("host.libvirt.guests", static_cast<double>(guests));
    return guests > kGuestsMax ? CollectorStatus::degraded("only the first 512 guests") : CollectorStatus{};
  }

  // libvirt 7 and later have a cgroup of their own in the scope, earlier ones have not.
  size_t virtual_cpus_of(const std::string& scope) {
    auto cpus = sys_.names(scope + "/libvirt", "vcpu");
    if (!cpus) cpus = sys_.names(scope, "vcpu");
    return cpus ? cpus->size() : 0;
  }

  SysReader sys_;
  const Clock& clock_;
  SlotCadence cadence_;
  CollectorStatus status_;
};

}  // namespace

std::unique_ptr<Collector> make_libvirt_collector(const HostSources& sources) {
  return std::make_unique<LibvirtCollector>(sources.sys, sources.clock);
}

}  // namespace statmill
