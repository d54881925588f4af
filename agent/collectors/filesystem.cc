#include "agent/collectors/filesystem.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/collectors/mount_text.h"
#include "agent/collectors/slot_cadence.h"

namespace statmill {
namespace {

constexpr size_t kFilesystemsMax = 256;
constexpr size_t kNamedMax = 3;  // filesystems in the reason of a status

// Reads what `read` reads, below another root.
SpaceReader::Read below(std::string root, SpaceReader::Read read) {
  return [root = std::move(root), read = std::move(read)](const MountPlace& place) {
    return read({root + place.path, place.device_number});
  };
}

class FilesystemCollector final : public Collector {
 public:
  FilesystemCollector(ProcReader& proc, const Clock& clock, FilesystemOptions options)
      : proc_(proc),
        clock_(clock),
        is_each_time_(options.is_each_time),
        reader_(below(std::move(options.root), std::move(options.read))) {}

  std::string_view name() const override { return "filesystem"; }

  CollectorStatus collect(MetricSink& sink) override {
    const bool is_due = cadence_.is_due(clock_.wall()) || is_each_time_;
    if (is_due) {
      ask();
    } else {
      sink.keep("host.filesystem.");
    }
    reader_.wait();
    for (const SpaceReader::Answer& answer : reader_.answers()) report(answer, sink);
    const std::vector<MountPlace> hanging = reader_.hanging(clock_.steady());
    if (std::exchange(hanging_, hanging.size()) != hanging.size() || is_due) report_counts(sink);
    return status(hanging);
  }

 private:
  // Reads which filesystems there are, and asks for their space.
  void ask() {
    no_list_.clear();
    filesystems_.clear();
    has_own_mounts_ = false;
    Result<std::string_view> text = proc_.read("1/mountinfo");
    if (!text) {
      no_list_ = text.error().message;
      has_own_mounts_ = true;
      text = proc_.read("self/mountinfo");
    }
    FilesystemList list;
    if (text) list = list_filesystems(*text, kFilesystemsMax);
    left_out_ = list.left_out;
    is_unavailable_ = !text;
    // If all threads hang, those that need nobody else have answered before.
    std::stable_partition(list.filesystems.begin(), list.filesystems.end(),
                          [](const Filesystem& one) { return !is_remote(one.type); });
    std::vector<MountPlace> places;
    for (Filesystem& one : list.filesystems) {
      places.push_back({one.mount, one.device_number});
      filesystems_.emplace(places.back(), std::move(one));
    }
    std::erase_if(failures_, [this](const auto& one) { return !filesystems_.contains(one.first); });
    reader_.ask(places, clock_.steady());
  }

  void report(const SpaceReader::Answer& answer, MetricSink& sink) {
    const auto place = filesystems_.find(answer.place);
    if (place == filesystems_.end()) return;  // not mounted any more
    failures_.erase(answer.place);
    if (!answer.space) {
      failures_.emplace(answer.place, answer.space.error());
      return;
    }
    const FilesystemSpace& space = *answer.space;
    const Filesystem& one = place->second;
    if (space.blocks == 0) return;
    const auto gauge = [&](GaugeFamily family, double value) {
      sink.gauge(family, {one.device, one.mount, one.type}, value);
    };
    const auto bytes = [&](GaugeFamily family, uint64_t blocks) {
      gauge(family, static_cast<double>(blocks) * static_cast<double>(space.block_bytes));
    };
    bytes("host.filesystem.size_bytes", space.blocks);
    bytes("host.filesystem.free_bytes", space.blocks_free);
    bytes("host.filesystem.available_bytes", space.blocks_available);
    if (space.inodes != 0) gauge("host.filesystem.inodes", static_cast<double>(space.inodes));
    if (space.inodes != 0) gauge("host.filesystem.inodes_free", static_cast<double>(space.inodes_free));
    if (!has_own_mounts_) gauge("host.filesystem.read_only", one.is_read_only ? 1 : 0);
  }

  void report_counts(MetricSink& sink) const {
    if (is_unavailable_) return;
    sink.gauge("host.filesystem.hanging", static_cast<double>(hanging_));
    sink.gauge("host.filesystem.unreadable", static_cast<double>(failures_.size()));
    sink.gauge("host.agent.filesystems_left_out", static_cast<double>(left_out_));
  }

  CollectorStatus status(const std::vector<MountPlace>& hanging) const {
    if (is_unavailable_) return CollectorStatus::unavailable(no_list_);
    std::string reason = no_list_;
    const auto add = [&reason](std::string_view text) {
      reason.append(reason.empty() ? "" : "; ").append(text);
    };
    if (!hanging.empty()) {
      std::string paths = "no answer from";
      for (size_t i = 0; i < std::min(hanging.size(), kNamedMax); ++i)
        paths.append(" ").append(hanging[i].path);
      if (hanging.size() > kNamedMax) paths += " and others";
      add(paths);
    }
    // A hidden or removed mount is no fault: the administrator of the host wants it so.
    size_t named = 0;
    for (const auto& [place, error] : failures_) {
      if (error.code != ErrorCode::kNotFound && ++named <= kNamedMax) add(error.message);
    }
    if (left_out_ != 0) add("some filesystems are left out");
    return reason.empty() ? CollectorStatus{} : CollectorStatus::degraded(std::move(reason));
  }

  ProcReader& proc_;
  const Clock& clock_;
  SlotCadence cadence_;
  const bool is_each_time_;
  std::map<MountPlace, Filesystem> filesystems_;  // at the last reading
  std::map<MountPlace, Error> failures_;          // of filesystems whose last call failed
  std::string no_list_;                           // why 1/mountinfo was not read; empty if it was
  bool has_own_mounts_ = false;                   // the list is that of the agent itself
  bool is_unavailable_ = false;                   // there is no list
  size_t left_out_ = 0;
  size_t hanging_ = 0;
  SpaceReader reader_;
};

}  // namespace

std::unique_ptr<Collector> make_filesystem_collector(ProcReader& proc, const Clock& clock,
                                                     FilesystemOptions options) {
  return std::make_unique<FilesystemCollector>(proc, clock, std::move(options));
}

}  // namespace statmill
