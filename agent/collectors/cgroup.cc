// The cgroup collector: CPU time, throttling, memory, I/O and tasks of each cgroup, from the files in its
// directory. Each file is opened, read and closed, which is expensive, so this happens only every 10 s.
//
// Only the cgroup of a container itself has its names as tags, not those inside of it: its files count what
// is inside, too, so a sum over containers counts nothing twice.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "agent/collectors/cgroup_files.h"
#include "agent/collectors/cgroup_tree.h"
#include "agent/collectors/collector.h"
#include "agent/collectors/container_names.h"
#include "agent/collectors/slot_cadence.h"

namespace statmill {
namespace {

constexpr size_t kCgroupsMax = 256;         // read per hierarchy, those nearest to the root first
constexpr size_t kFileBytesMax = 64 << 10;  // memory.stat has about 2 KiB

class CgroupCollector final : public Collector {
 public:
  CgroupCollector(const std::string& mount, const Clock& clock, ContainerNames& containers)
      : mount_(mount), clock_(clock), containers_(containers) {}

  std::string_view name() const override { return "cgroup"; }

  CollectorStatus collect(MetricSink& sink) override {
    if (!cadence_.is_due(clock_.wall())) {
      sink.keep("host.cgroup.");
      return status_;
    }
    return status_ = read_all(sink);
  }

 private:
  CollectorStatus read_all(MetricSink& sink) {
    const bool is_version_2 = find_cgroup_hierarchy(mount_, "").is_default;
    const std::span<const CgroupField> fields = is_version_2 ? cgroup_fields_v2() : cgroup_fields_v1();
    size_t left_out = 0;
    size_t hierarchies = 0;
    for (size_t first = 0, end = 0; first < fields.size(); first = end) {
      // Reads all fields of one hierarchy. In version 2 there is only one hierarchy.
      while (end < fields.size() && fields[end].controller == fields[first].controller) ++end;
      CgroupTree tree(find_cgroup_hierarchy(mount_, std::string(fields[first].controller)).root);
      if (tree.root().empty() || !tree.scan()) continue;
      ++hierarchies;
      containers_.look_up(tree);
      const size_t over = read_tree(tree, fields.subspan(first, end - first), sink);
      left_out = std::max<size_t>(left_out, tree.left_out() + over);
    }
    if (hierarchies == 0) return CollectorStatus::unavailable("no cgroups in " + mount_);
    sink.gauge("host.agent.cgroups_left_out", static_cast<double>(left_out));
    sink.gauge("host.agent.containers_unnamed", static_cast<double>(containers_.unnamed()));
    return containers_.status();
  }

  // Returns how many cgroups exceed the limit.
  size_t read_tree(const CgroupTree& tree, std::span<const CgroupField> fields, MetricSink& sink) {
    std::vector<Cgroup> cgroups = tree.cgroups();
    std::stable_sort(cgroups.begin(), cgroups.end(), [](const Cgroup& a, const Cgroup& b) {
      return std::count(a.path.begin(), a.path.end(), '/') < std::count(b.path.begin(), b.path.end(), '/');
    });
    const size_t count = std::min(cgroups.size(), kCgroupsMax);
    for (size_t i = 0; i < count; ++i) {
      if (const ContainerName* const name = containers_.find(cgroups[i].path))
        read_cgroup({tree.root() + cgroups[i].path, cgroups[i].tag(), *name}, fields, sink);
    }
    return cgroups.size() - count;
  }

  struct Directory {
    std::string path;
    std::string_view tag;
    const ContainerName& name;
  };
  void read_cgroup(const Directory& directory, std::span<const CgroupField> fields, MetricSink& sink) {
    const auto& [path, tag, name] = directory;
    std::string_view file;
    bool is_there = false;
    for (const CgroupField& field : fields) {
      if (field.file != file) is_there = read_file(path + "/" + std::string(field.file));
      file = field.file;
      if (!is_there) continue;  // its controller is not enabled here
      const std::optional<uint64_t> number = find_cgroup_number(text_, field);
      if (!number) continue;
      if (const auto* const level = std::get_if<GaugeFamily>(&field.family)) {
        sink.gauge(*level, {tag, name.container, name.name_space, name.pod}, static_cast<double>(*number));
      } else if (field.op.empty()) {
        sink.total(std::get<EventFamily>(field.family), {tag, name.container, name.name_space, name.pod},
                   *number);
      } else {
        sink.total(std::get<EventFamily>(field.family),
                   {tag, name.container, name.name_space, field.op, name.pod}, *number);
      }
    }
  }

  bool read_file(const std::string& path) {
    text_.clear();
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    std::array<char, 4096> piece;
    ssize_t n = 0;
    while (text_.size() < kFileBytesMax && (n = ::read(fd, piece.data(), piece.size())) > 0)
      text_.append(piece.data(), static_cast<size_t>(n));
    ::close(fd);
    return n >= 0;
  }

  const std::string mount_;
  const Clock& clock_;
  ContainerNames& containers_;
  SlotCadence cadence_;
  CollectorStatus status_;
  std::string text_;
};

}  // namespace

std::unique_ptr<Collector> make_cgroup_collector(const std::string& mount, const Clock& clock,
                                                 ContainerNames& containers) {
  return std::make_unique<CgroupCollector>(mount, clock, containers);
}

}  // namespace statmill
