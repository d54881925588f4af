// The rapl collector: the energy that packages of CPUs and their parts used, from /sys/class/powercap.
//
// Since Linux 5.10 only root may read it, because its fine changes reveal what programs compute
// (CVE-2020-8694). The agent's user needs read permission on the files energy_uj.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/slot_cadence.h"
#include "agent/collectors/sys_reader.h"
#include "agent/collectors/sys_status.h"

namespace statmill {
namespace {

constexpr size_t kEnergyZonesMax = 64;
// More than this per second is no energy, but a counter that began again, as after hibernation.
constexpr double kZoneWattsMax = 5000;

// The energy of one zone since it was first read. The counter of the kernel begins again at 0 after its
// greatest value: a package that uses 100 W gets there within an hour.
class ZoneEnergy {
 public:
  // Returns the total in uJ. A counter that began again without that adds nothing.
  uint64_t advance(uint64_t energy_uj, std::optional<uint64_t> max_uj, SteadyTime now) {
    const uint64_t before = std::exchange(energy_uj_, energy_uj);
    const SteadyTime then = std::exchange(read_at_, now);
    if (!std::exchange(is_known_, true)) return total_uj_ = energy_uj;
    if (energy_uj >= before) return total_uj_ += energy_uj - before;
    if (!max_uj || *max_uj < before) return total_uj_;
    const uint64_t growth = *max_uj - before + energy_uj;
    const std::chrono::duration<double, std::micro> elapsed = now - then;
    return static_cast<double>(growth) <= elapsed.count() * kZoneWattsMax ? total_uj_ += growth : total_uj_;
  }

 private:
  uint64_t total_uj_ = 0;
  uint64_t energy_uj_ = 0;  // as read last
  SteadyTime read_at_{};
  bool is_known_ = false;
};

class RaplCollector final : public Collector {
 public:
  RaplCollector(std::string sys, const Clock& clock) : sys_(std::move(sys)), clock_(clock) {}

  std::string_view name() const override { return "rapl"; }

  CollectorStatus collect(MetricSink& sink) override {
    if (!cadence_.is_due(clock_.wall())) {
      sink.keep("host.rapl.");
      return status_;
    }
    return status_ = read_all(sink);
  }

 private:
  CollectorStatus read_all(MetricSink& sink) {
    sys_.forget_refused();
    // Not intel-rapl-mmio, which has the same energy once more. AMD's zones have this name, too.
    const auto zones = sys_.names("class/powercap", "intel-rapl:").value_or(std::vector<std::string>());
    std::map<std::string, ZoneEnergy> known = std::exchange(energies_, {});
    for (size_t i = 0; i < std::min(zones.size(), kEnergyZonesMax); ++i) {
      const std::string folder = "class/powercap/" + zones[i] + "/";
      const std::optional<uint64_t> energy_uj = sys_.count(folder + "energy_uj");
      if (!energy_uj) continue;
      const std::string zone = name_of(zones[i]);
      if (energies_.contains(zone)) continue;
      ZoneEnergy& energy = energies_[zone] = known[zone];
      sink.total("host.rapl.energy_uj", {zone},
                 energy.advance(*energy_uj, sys_.count(folder + "max_energy_range_uj"), clock_.steady()));
    }
    return sys_status(sys_, !energies_.empty(),
                      zones.size() > kEnergyZonesMax ? "only the first 64 zones" : "");
  }

  // "package-0" of intel-rapl:0, "package-0/dram" of intel-rapl:0:1.
  std::string name_of(const std::string& zone) {
    const size_t parent_end = zone.rfind(':');
    const bool has_parent = zone.find(':') != parent_end;
    const std::string parent = has_parent ? name_of(zone.substr(0, parent_end)) + "/" : std::string();
    return parent + std::string(sys_.text("class/powercap/" + zone + "/name").value_or(zone));
  }

  SysReader sys_;
  const Clock& clock_;
  SlotCadence cadence_;
  CollectorStatus status_;
  std::map<std::string, ZoneEnergy> energies_;  // by zone, of the last reading
};

}  // namespace

std::unique_ptr<Collector> make_rapl_collector(const HostSources& sources) {
  return std::make_unique<RaplCollector>(sources.sys, sources.clock);
}

}  // namespace statmill
