// The multipath collector: the paths of each multipath device of the device mapper by their state, from
// /sys/block/dm-*. The state is that of the disk at the end of the path, which needs no rights; what
// multipathd itself finds out is known only to it.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/slot_cadence.h"
#include "agent/collectors/sys_reader.h"
#include "agent/collectors/sys_status.h"

namespace statmill {
namespace {

constexpr size_t kMapsMax = 1024;  // devices of the device mapper that are looked at
constexpr size_t kPathsMax = 64;   // of one device

// The states of disks of SCSI (drivers/scsi/scsi_sysfs.c) and NVMe (drivers/nvme/host/core.c).
constexpr std::array<std::string_view, 14> kPathStates = {
    "running", "created",         "cancel", "deleted", "quiesce",    "offline",  "transport-offline",
    "blocked", "created-blocked", "new",    "live",    "connecting", "deleting", "dead"};

class MultipathCollector final : public Collector {
 public:
  MultipathCollector(std::string sys, const Clock& clock) : sys_(std::move(sys)), clock_(clock) {}

  std::string_view name() const override { return "multipath"; }

  CollectorStatus collect(MetricSink& sink) override {
    if (!cadence_.is_due(clock_.wall())) {
      sink.keep("host.multipath.");
      return status_;
    }
    const auto devices = sys_.names("block", "dm-").value_or(std::vector<std::string>());
    sys_.forget_refused();
    std::string limit = devices.size() > kMapsMax ? "only the first 1024 devices" : "";
    size_t found = 0;
    for (size_t i = 0; i < std::min(devices.size(), kMapsMax); ++i) {
      const size_t paths = report_device(devices[i], sink);
      if (paths > 0) ++found;
      if (paths > kPathsMax) limit = "only the first 64 paths of " + devices[i];
    }
    return status_ = sys_status(sys_, found > 0, std::move(limit));
  }

 private:
  // Returns how many paths it has; 0 of a device that is no multipath device, or not readable.
  size_t report_device(const std::string& device, MetricSink& sink) {
    const std::string folder = "block/" + device + "/";
    if (!sys_.text(folder + "dm/uuid").value_or("").starts_with("mpath-")) return 0;
    const auto paths = sys_.names(folder + "slaves");
    if (!paths) return 0;
    std::map<std::string_view, size_t> counts = {{"running", 0}};
    for (size_t i = 0; i < std::min(paths->size(), kPathsMax); ++i)
      ++counts[state_of(folder + "slaves/" + (*paths)[i] + "/device/state")];
    if (counts.contains("live") && counts["running"] == 0) counts.erase("running");  // the word of NVMe
    for (const auto& [state, count] : counts)
      sink.gauge("host.multipath.paths", {device, state}, static_cast<double>(count));
    return paths->size();
  }

  std::string_view state_of(const std::string& file) {
    const auto known = std::find(kPathStates.begin(), kPathStates.end(), sys_.text(file).value_or(""));
    return known == kPathStates.end() ? std::string_view("other") : *known;
  }

  SysReader sys_;
  const Clock& clock_;
  SlotCadence cadence_;
  CollectorStatus status_;
};

}  // namespace

std::unique_ptr<Collector> make_multipath_collector(const HostSources& sources) {
  return std::make_unique<MultipathCollector>(sources.sys, sources.clock);
}

}  // namespace statmill
