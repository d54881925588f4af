// ContainerNames: the names of the containers among the cgroups, for the tags of their series.
//
// Files of runtimes are read only when a cgroup appears that was not there before, by a thread of its own. A
// container keeps its name for as long as it is there, so that its series do, too.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/collectors/background_work.h"
#include "agent/collectors/cgroup_tree.h"
#include "agent/collectors/collector.h"
#include "agent/collectors/container_reader.h"
#include "base/clock.h"
#include "base/log.h"

namespace statmill {

// Confined to one thread.
class ContainerNames {
 public:
  static constexpr size_t kContainersMax = 2 * CgroupTree::kCgroupsMax;
  // A name that was not found is looked for so often, kTryEvery apart: Kubernetes writes some only after the
  // container has begun.
  static constexpr unsigned kTriesMax = 6;
  static constexpr Duration kTryEvery{9'000};
  static constexpr Duration kForgetAfter{60'000};  // after its cgroup was seen last
  static constexpr Duration kSameLook{1'000};      // in which a collection looks at all hierarchies

  // Both must outlive it.
  ContainerNames(std::unique_ptr<ContainerSource> source, const Clock& clock, Log& log);

  // Looks for the names of containers that are new in the tree, and waits for them for at most 20 ms; at the
  // first time 500 ms.
  void look_up(const CgroupTree& tree);
  // Notes what was found since, and tries again to find what was not, if it is time. Cost: one lock while
  // names are looked for, else a pass over the containers.
  void update();

  // Returns the names for the series of this cgroup: all are empty if it is no container or nobody knows its
  // name. Returns null while the first look is not done: its series wait for that, for at most 10 s. Valid
  // until the next look_up() or update().
  const ContainerName* find(std::string_view path) const;
  // The same of the container that the cgroup is, or is in.
  const ContainerName* find_around(std::string_view path) const;

  // How many containers of the last look have no name, with those over the limit.
  size_t unnamed() const;
  // Degraded if a right was missing, or a disk does not answer.
  CollectorStatus status() const;

 private:
  struct Entry {
    ContainerCgroup cgroup;
    ContainerName name;
    unsigned tries = 0;
    SteadyTime tried_at{};
    SteadyTime seen_at{};

    bool is_named() const { return !name.container.empty(); }
  };

  void add_new(const CgroupTree& tree, SteadyTime now);
  void begin(SteadyTime now);
  void note_found();
  bool is_overdue() const;

  const Clock& clock_;
  const ContainerName no_name_;
  std::map<std::string, Entry, std::less<>> entries_;  // by path
  std::vector<std::string> asked_;                     // paths, while names are looked for
  std::string refused_;                                // at the last look
  SteadyTime looked_at_{};
  size_t skipped_ = 0;  // containers of the last tree, over kContainersMax
  SteadyTime begun_at_{};
  bool is_reading_ = false;
  bool has_read_ = false;

  // The thread has these while it works.
  const std::unique_ptr<ContainerSource> source_;
  std::vector<ContainerCgroup> wanted_;
  ContainerSource::Names found_;
  BackgroundWork work_;  // last: its thread uses them
};

}  // namespace statmill
