#include "agent/collectors/container_reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/descriptor.h"

namespace statmill {
namespace {

constexpr std::string_view kLogs = "/var/log/containers";
constexpr std::string_view kDocker = "/var/lib/docker";
constexpr std::string_view kContainerd = "/run/containerd/io.containerd.runtime.v2.task";
constexpr std::string_view kCrio = "/run/containers/storage/overlay-containers";
constexpr std::string_view kStorage = "/var/lib/containers/storage/overlay-containers";
constexpr std::string_view kUserData = "/.local/share";

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string path;
  for (const std::string_view part : parts) path.append(part);
  return path;
}

}  // namespace

ContainerReader::Names ContainerReader::read(std::span<const ContainerCgroup> containers) {
  refused_.clear();
  log_names_.clear();
  storages_.clear();
  namespaces_.reset();
  read_log_names(containers);
  Names names;
  for (const ContainerCgroup& container : containers) names.push_back(find(container));
  set_waits_for({});
  return names;
}

std::optional<ContainerName> ContainerReader::find(const ContainerCgroup& container) {
  if (container.user) return find_of_user(container.id, *container.user);
  const auto name = log_names_.find(container.id);
  return name != log_names_.end() ? std::optional(name->second) : find_of_root(container.id);
}

std::optional<ContainerName> ContainerReader::find_of_root(const std::string& id) {
  const std::string docker = joined({root_, kDocker, "/containers"});
  if (const auto text = text_of(docker + "/" + id + "/config.v2.json", docker)) {
    if (auto name = parse_docker_config(*text)) return name;
  }
  if (auto name = find_of_containerd(id)) return name;
  const std::string crio = joined({root_, kCrio});
  if (const auto text = text_of(crio + "/" + id + "/userdata/config.json", crio)) {
    if (auto name = parse_runtime_config(*text)) return name;
  }
  const ById& names = storage_names(joined({root_, kStorage}), std::nullopt);
  const auto name = names.find(id);
  return name == names.end() ? std::nullopt : std::optional(name->second);
}

std::optional<ContainerName> ContainerReader::find_of_containerd(const std::string& id) {
  const std::string tasks = joined({root_, kContainerd});
  if (!namespaces_) namespaces_ = entries_of(tasks, kNamespacesMax);
  for (const std::string& name_space : *namespaces_) {
    const auto text = text_of(joined({tasks, "/", name_space, "/", id, "/config.json"}), tasks);
    if (!text) continue;
    if (auto name = parse_runtime_config(*text)) return name;
  }
  return std::nullopt;
}

std::optional<ContainerName> ContainerReader::find_of_user(const std::string& id, uint32_t user) {
  const std::string passwd = root_ + "/etc/passwd";
  const auto users = text_of(passwd, passwd);
  const std::string_view home = users ? find_home(*users, user) : std::string_view();
  if (home.empty()) return std::nullopt;
  const std::string docker = joined({root_, home, kUserData, "/docker/containers"});
  if (const auto text = text_of(docker + "/" + id + "/config.v2.json", docker, user)) {
    if (auto name = parse_docker_config(*text)) return name;
  }
  const ById& names =
      storage_names(joined({root_, home, kUserData, "/containers/storage/overlay-containers"}), user);
  const auto name = names.find(id);
  return name == names.end() ? std::nullopt : std::optional(name->second);
}

void ContainerReader::read_log_names(std::span<const ContainerCgroup> containers) {
  const std::vector<std::string> files = entries_of(joined({root_, kLogs}), kLogNamesMax);
  if (files.empty()) return;
  std::map<std::string_view, ContainerName> all;
  for (const std::string& file : files) {
    if (auto one = parse_log_name(file)) all.insert(*std::move(one));
  }
  for (const ContainerCgroup& container : containers) {
    if (const auto found = all.find(container.id); found != all.end())
      log_names_.emplace(found->first, found->second);
  }
}

const ContainerReader::ById& ContainerReader::storage_names(const std::string& directory,
                                                            std::optional<uint32_t> owner) {
  const auto [place, is_new] = storages_.try_emplace(directory);
  if (!is_new) return place->second;
  for (const char* const file : {"/containers.json", "/volatile-containers.json"}) {
    if (const auto text = text_of(directory + file, directory, owner))
      place->second.merge(parse_storage_containers(*text));
  }
  return place->second;
}

std::vector<std::string> ContainerReader::entries_of(const std::string& directory, size_t limit) {
  set_waits_for(directory);
  std::vector<std::string> names;
  DIR* const opened = ::opendir(directory.c_str());
  if (opened == nullptr) {
    note_refused(errno, directory);
    return names;
  }
  while (const dirent* const entry = ::readdir(opened)) {
    if (entry->d_name[0] == '.') continue;
    if (names.size() == limit) break;
    names.emplace_back(entry->d_name);
  }
  ::closedir(opened);
  return names;
}

std::optional<std::string> ContainerReader::text_of(const std::string& path, const std::string& named,
                                                    std::optional<uint32_t> owner) {
  set_waits_for(path);
  // A FIFO or a device does not block this call, and is not read.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY));
  if (!file.is_open()) {
    note_refused(errno, named);
    return std::nullopt;
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (owner && status.st_uid != *owner) return std::nullopt;
  if (status.st_size <= 0 || static_cast<size_t>(status.st_size) > kFileBytesMax) return std::nullopt;
  std::string text(static_cast<size_t>(status.st_size), '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + size, text.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  text.resize(size);
  return text;
}

void ContainerReader::note_refused(int error, const std::string& path) {
  if ((error == EACCES || error == EPERM) && refused_.empty()) refused_ = path + ": " + std::strerror(error);
}

std::string ContainerReader::waits_for() const {
  const MutexLock lock(mutex_);
  return waits_for_;
}

void ContainerReader::set_waits_for(const std::string& path) {
  const MutexLock lock(mutex_);
  waits_for_ = path;
}

}  // namespace statmill
