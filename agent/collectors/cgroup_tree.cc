#include "agent/collectors/cgroup_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace statmill {
namespace {

bool is_there(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

Status CgroupTree::scan() {
  cgroups_.clear();
  by_id_.clear();
  left_out_ = 0;
  const int root = ::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat status {};
  if (root < 0 || ::fstat(root, &status) != 0) {
    const Error error{ErrorCode::kNotFound, root_ + ": " + std::strerror(errno)};
    if (root >= 0) ::close(root);
    return error;
  }
  add(status.st_ino, "");
  scan_directory(root, "", 0);
  return Status::ok();
}

// Takes ownership of `parent` and closes it.
void CgroupTree::scan_directory(int parent, const std::string& path, size_t depth) {
  DIR* const directory = ::fdopendir(parent);
  if (directory == nullptr) {
    ::close(parent);
    return;
  }
  while (const dirent* const entry = ::readdir(directory)) {
    const std::string_view name(entry->d_name);
    if (entry->d_type != DT_DIR || name == "." || name == "..") continue;
    if (depth == kDepthMax || cgroups_.size() == kCgroupsMax) {
      ++left_out_;
      continue;
    }
    const std::string below = path + "/" + std::string(name);
    add(entry->d_ino, below);
    const int child = ::openat(::dirfd(directory), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (child >= 0) scan_directory(child, below, depth + 1);  // otherwise it was removed meanwhile
  }
  ::closedir(directory);
}

void CgroupTree::add(uint64_t id, const std::string& path) {
  if (path.size() > kPathBytesMax) {
    ++left_out_;
    return;
  }
  by_id_[id] = cgroups_.size();
  cgroups_.push_back({id, path});
}

const Cgroup* CgroupTree::find(uint64_t id) const {
  const auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : &cgroups_[it->second];
}

CgroupHierarchy find_cgroup_hierarchy(const std::string& mount, const std::string& controller) {
  if (is_there(mount + "/cgroup.controllers")) return {mount, true};
  const std::string below = mount + "/" + controller;
  for (const std::string& path : {below, below + ",cpuacct"}) {
    if (is_there(path + "/cgroup.procs")) return {path, false};
  }
  return {};
}

std::string find_socket_cgroups(const std::string& mount) {
  const CgroupHierarchy hierarchy = find_cgroup_hierarchy(mount, "");
  return hierarchy.is_default ? hierarchy.root : std::string();
}

}  // namespace statmill
