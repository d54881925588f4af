// CgroupTree: which cgroups there are, from the directories under /sys/fs/cgroup.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace statmill {

struct Cgroup {
  uint64_t id = 0;   // the inode number of its directory, which is how the kernel knows it, too
  std::string path;  // below the root: "/system.slice/ssh.service"; the root's is empty
  std::string name;  // as one part of a series name: "system_slice-ssh_service"; the root's is "root"
};

// Confined to one thread.
class CgroupTree {
 public:
  static constexpr size_t kCgroupsMax = 1024;
  static constexpr size_t kDepthMax = 32;
  static constexpr size_t kNameBytesMax = 256;

  // `root` is the directory of a hierarchy's root cgroup.
  explicit CgroupTree(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  // Looks which there are now. Some 5 us each. Errors: there is no root.
  Status scan();
  // As of the last scan; each has a name of its own.
  const std::vector<Cgroup>& cgroups() const { return cgroups_; }
  const Cgroup* find(uint64_t id) const;
  // Directories that are left out: beyond the limits, or of a name that another has.
  uint64_t left_out() const { return left_out_; }

 private:
  void scan_directory(int parent, const std::string& path, size_t depth);
  void add(uint64_t id, const std::string& path);

  const std::string root_;
  std::vector<Cgroup> cgroups_;
  std::map<uint64_t, size_t> by_id_;
  std::map<std::string, uint64_t> by_name_;
  uint64_t left_out_ = 0;
};

// Where the cgroups of this host are: the root directory of the only hierarchy (version 2), or of that of
// version 1's controller `controller`; empty: there is none. `mount` is /sys/fs/cgroup but in tests.
struct CgroupHierarchy {
  std::string root;
  bool is_default = false;  // version 2
};
CgroupHierarchy find_cgroup_hierarchy(const std::string& mount, const std::string& controller);

}  // namespace statmill
