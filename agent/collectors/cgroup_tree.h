// CgroupTree: lists the cgroups of the host, from the directories under /sys/fs/cgroup.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

struct Cgroup {
  uint64_t id = 0;   // inode number of its directory; the kernel uses the same id
  std::string path;  // below the root: "/system.slice/ssh.service"; empty for the root

  // The value of the tag `cgroup`: the path; "/" for the root.
  std::string_view tag() const { return path.empty() ? std::string_view("/") : path; }
};

// Confined to one thread.
class CgroupTree {
 public:
  static constexpr size_t kCgroupsMax = 1024;
  static constexpr size_t kDepthMax = 32;
  static constexpr size_t kPathBytesMax = 512;

  // `root` is the directory of the root cgroup of a hierarchy.
  explicit CgroupTree(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  // Reads the current directories. Cost: about 5 us per cgroup. Errors: the root does not exist.
  Status scan();
  // The cgroups at the last scan.
  const std::vector<Cgroup>& cgroups() const { return cgroups_; }
  const Cgroup* find(uint64_t id) const;
  // The number of skipped directories: those over a limit.
  uint64_t left_out() const { return left_out_; }

 private:
  void scan_directory(int parent, const std::string& path, size_t depth);
  void add(uint64_t id, const std::string& path);

  const std::string root_;
  std::vector<Cgroup> cgroups_;
  std::map<uint64_t, size_t> by_id_;
  uint64_t left_out_ = 0;
};

// The hierarchy of this host: the root directory of the single hierarchy (version 2), or that of the given
// controller (version 1); empty if there is none. `mount` is /sys/fs/cgroup except in tests.
struct CgroupHierarchy {
  std::string root;
  bool is_default = false;  // version 2
};
CgroupHierarchy find_cgroup_hierarchy(const std::string& mount, const std::string& controller);

// Returns the root directory of version 2 if this host has no other version; empty otherwise. Sockets belong
// to cgroups of version 2, and on a host with both versions only few programs have one of their own there.
std::string find_socket_cgroups(const std::string& mount);

}  // namespace statmill
