// The md collector: arrays of the kernel's RAID, their disks, and how far a rebuild or check is, from
// /sys/block/md*/md (Documentation/admin-guide/md.rst).
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/proc_text.h"
#include "agent/collectors/slot_cadence.h"
#include "agent/collectors/sys_reader.h"
#include "agent/collectors/sys_status.h"
#include "base/number_text.h"

namespace statmill {
namespace {

constexpr size_t kArraysMax = 128;
constexpr uint64_t kMdSectorBytes = 512;  // unit of mismatch_cnt
constexpr double kKibibyte = 1024;        // unit of sync_speed

constexpr std::array<std::string_view, 4> kArrayStates = {"active", "readonly", "inactive", "broken"};
constexpr std::array<std::string_view, 4> kDiskStates = {"active", "spare", "faulty", "rebuilding"};
constexpr std::array<std::string_view, 5> kSyncActions = {"resync", "recover", "check", "repair", "reshape"};

// One of kArrayStates; empty if the kernel has a state that is not known here.
std::string_view array_state_of(std::string_view array_state) {
  if (array_state == "clear" || array_state == "inactive") return "inactive";
  if (array_state == "readonly" || array_state == "read-auto") return "readonly";
  if (array_state == "broken") return "broken";
  for (const std::string_view active : {"clean", "active", "write-pending", "active-idle", "suspended"}) {
    if (array_state == active) return "active";
  }
  return {};
}

// `flags` are words separated by commas.
bool has_flag(std::string_view flags, std::string_view flag) {
  while (!flags.empty()) {
    const size_t end = flags.find(',');
    if (flags.substr(0, end) == flag) return true;
    flags.remove_prefix(end == std::string_view::npos ? flags.size() : end + 1);
  }
  return false;
}

class MdCollector final : public Collector {
 public:
  MdCollector(std::string sys, const Clock& clock) : sys_(std::move(sys)), clock_(clock) {}

  std::string_view name() const override { return "md"; }

  CollectorStatus collect(MetricSink& sink) override {
    if (!cadence_.is_due(clock_.wall())) {
      sink.keep("host.md.");
      return status_;
    }
    const auto devices = sys_.names("block", "md").value_or(std::vector<std::string>());
    sys_.forget_refused();
    size_t found = 0;
    for (size_t i = 0; i < std::min(devices.size(), kArraysMax); ++i)
      if (report_array(devices[i], sink)) ++found;
    return status_ =
               sys_status(sys_, found > 0, devices.size() > kArraysMax ? "only the first 128 arrays" : "");
  }

 private:
  // Returns false if the array is not there any more, or not readable.
  bool report_array(const std::string& device, MetricSink& sink) {
    const std::string folder = "block/" + device + "/md/";
    const std::optional<std::string_view> array_state = sys_.text(folder + "array_state");
    if (!array_state) return false;
    const std::string_view now = array_state_of(*array_state);
    for (const std::string_view state : kArrayStates)
      if (!now.empty()) sink.gauge("host.md.state", {device, state}, now == state ? 1 : 0);
    // "2", or "3 (2)" while it changes
    std::string_view required = sys_.text(folder + "raid_disks").value_or("");
    if (const auto count = parse_as<uint64_t>(next_word(required)))
      sink.gauge("host.md.disks_required", {device}, static_cast<double>(*count));
    if (const auto count = sys_.count(folder + "degraded"))
      sink.gauge("host.md.disks_missing", {device}, static_cast<double>(*count));
    if (const auto sectors = sys_.count(folder + "mismatch_cnt"))
      sink.gauge("host.md.mismatched_bytes", {device}, static_cast<double>(*sectors * kMdSectorBytes));
    report_disks(device, folder, sink);
    report_sync(device, folder, sink);
    return true;
  }

  void report_disks(const std::string& device, const std::string& folder, MetricSink& sink) {
    std::array<size_t, kDiskStates.size()> counts{};
    for (const std::string& disk : sys_.names(folder, "dev-").value_or(std::vector<std::string>())) {
      const std::string_view state = disk_state_of(folder + disk + "/");
      const auto at = std::find(kDiskStates.begin(), kDiskStates.end(), state);
      if (at != kDiskStates.end()) ++counts.at(static_cast<size_t>(at - kDiskStates.begin()));
    }
    for (size_t i = 0; i < counts.size(); ++i)
      sink.gauge("host.md.disks", {device, kDiskStates.at(i)}, static_cast<double>(counts.at(i)));
  }

  // A spare with a slot in the array is being filled. Empty for a journal, and for a disk that just went.
  std::string_view disk_state_of(const std::string& folder) {
    const std::string flags(sys_.text(folder + "state").value_or(""));
    if (has_flag(flags, "faulty")) return "faulty";
    if (has_flag(flags, "in_sync")) return "active";
    if (!has_flag(flags, "spare")) return {};
    return sys_.count(folder + "slot") ? "rebuilding" : "spare";
  }

  void report_sync(const std::string& device, const std::string& folder, MetricSink& sink) {
    const std::string_view action_now = sys_.text(folder + "sync_action").value_or("");
    const auto action = std::find(kSyncActions.begin(), kSyncActions.end(), action_now);
    if (action == kSyncActions.end()) return;  // idle, or frozen
    // "1234 / 5678" in sectors; "none" and "delayed" before it begins
    std::string_view completed = sys_.text(folder + "sync_completed").value_or("");
    const auto done = parse_as<uint64_t>(next_word(completed));
    next_word(completed);  // "/"
    const auto whole = parse_as<uint64_t>(next_word(completed));
    if (done && whole && *whole > 0)
      sink.gauge("host.md.sync_percent", {*action, device},
                 100 * static_cast<double>(std::min(*done, *whole)) / static_cast<double>(*whole));
    if (const auto speed = sys_.count(folder + "sync_speed"))
      sink.gauge("host.md.sync_bytes_per_second", {*action, device}, static_cast<double>(*speed) * kKibibyte);
  }

  SysReader sys_;
  const Clock& clock_;
  SlotCadence cadence_;
  CollectorStatus status_;
};

}  // namespace

std::unique_ptr<Collector> make_md_collector(const HostSources& sources) {
  return std::make_unique<MdCollector>(sources.sys, sources.clock);
}

}  // namespace statmill
