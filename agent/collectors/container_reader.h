// ContainerReader: finds the names of containers in what their runtimes keep on disk. It asks no daemon: the
// socket of a runtime gives a program that may open it the rights of root.
//
//   Kubernetes   /var/log/containers, the names of whose links everyone may read
//   docker       /var/lib/docker/containers/ID/config.v2.json
//   containerd   /run/containerd/io.containerd.runtime.v2.task/NAMESPACE/ID/config.json; nerdctl, too
//   CRI-O        /run/containers/storage/overlay-containers/ID/userdata/config.json
//   podman       /var/lib/containers/storage/overlay-containers/containers.json, volatile-containers.json
//   rootless     of docker and podman the same below ~/.local/share, owned by the user
//
// Below a home, which its user can write, it follows no links and enters no other mounts, since they may
// hang, and it reads only so much at a time.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/collectors/container_text.h"
#include "base/mutex.h"

namespace statmill {

// Where the names come from. Confined to one thread, except waits_for().
class ContainerSource {
 public:
  using Names = std::vector<std::optional<ContainerName>>;

  virtual ~ContainerSource() = default;
  // Returns the names of these containers, in their order; nullopt where nobody has one. May block.
  virtual Names read(std::span<const ContainerCgroup> containers) = 0;
  // Returns "PATH: Permission denied" of the first directory that read() lacked a right for; empty if none.
  virtual std::string refused() const = 0;
  // Returns the path that another thread reads now; empty if it reads none. Thread-safe.
  virtual std::string waits_for() const = 0;
};

// The disk. It opens regular files only, so it waits for nothing but the disks that they are on.
class ContainerReader final : public ContainerSource {
 public:
  static constexpr size_t kFileBytesMax = 1 << 20;  // docker's have about 8 KiB, podman's 700 B per container
  static constexpr size_t kLogNamesMax = 16'384;
  static constexpr size_t kNamespacesMax = 64;  // of containerd
  // One read() reads at most this much for the rootless containers of one user. What is left has no name
  // until a later read() asks again.
  static constexpr size_t kUserContainersMax = 128;
  static constexpr size_t kUserBytesMax = 4 << 20;

  // `root` is before each path; empty outside containers.
  explicit ContainerReader(std::string root) : root_(std::move(root)) {}
  ContainerReader(const ContainerReader&) = delete;
  ContainerReader& operator=(const ContainerReader&) = delete;

  // Names of rootless containers need Linux 5.6. Cost: some ten system calls per container.
  Names read(std::span<const ContainerCgroup> containers) override;
  std::string refused() const override { return refused_; }
  std::string waits_for() const override;

 private:
  using ById = std::map<std::string, ContainerName>;
  struct User {
    uint32_t number = 0;
    std::string home;  // empty if there is none
    size_t containers = 0;
    size_t bytes = 0;
    std::optional<ById> storage;
  };

  std::optional<ContainerName> find(const ContainerCgroup& container);
  std::optional<ContainerName> find_of_root(const std::string& id);
  std::optional<ContainerName> find_of_user(const std::string& id, User& user);
  std::optional<ContainerName> find_of_containerd(const std::string& id);
  void read_log_names(std::span<const ContainerCgroup> containers);
  User& user_of(uint32_t number);
  std::vector<std::string> entries_of(const std::string& directory, size_t limit);
  // Each returns the text; nullopt if it is no regular file or too long. `named` is the directory that a
  // missing right is noted for.
  std::optional<std::string> text_of(const std::string& path, const std::string& named);
  // The same of a file below the home, which the user owns.
  std::optional<std::string> text_of(User& user, const std::string& directory, const std::string& file);
  void note_refused(int error, const std::string& path);
  void set_waits_for(const std::string& path);

  const std::string root_;
  std::string refused_;
  // These are the same for all containers of one read().
  ById log_names_;
  std::optional<ById> storage_;  // of root's containers
  std::optional<std::string> passwd_;
  std::map<uint32_t, User> users_;
  std::optional<std::vector<std::string>> namespaces_;

  mutable Mutex mutex_;
  std::string waits_for_ GUARDED_BY(mutex_);
};

}  // namespace statmill
