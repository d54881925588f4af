#include "agent/collectors/container_reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <utility>

#include "base/descriptor.h"

namespace statmill {
namespace {

constexpr std::string_view kLogs = "/var/log/containers";
constexpr std::string_view kDocker = "/var/lib/docker";
constexpr std::string_view kContainerd = "/run/containerd/io.containerd.runtime.v2.task";
constexpr std::string_view kCrio = "/run/containers/storage/overlay-containers";
constexpr std::string_view kStorage = "/var/lib/containers/storage/overlay-containers";
constexpr std::string_view kUserDocker = ".local/share/docker/containers";
constexpr std::string_view kUserStorage = ".local/share/containers/storage/overlay-containers";
// A FIFO or a device does not block a call with these, and is not read.
constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY;

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string path;
  for (const std::string_view part : parts) path.append(part);
  return path;
}

// Opens a file below a home. The user may make any link or mount there, which leads to what hangs. Without
// openat2(), before Linux 5.6, it opens nothing.
Descriptor open_below(const std::string& home, const std::string& file) {
  const Descriptor directory(::open(home.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  open_how how{};
  how.flags = static_cast<uint64_t>(kOpenFlags);
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV | RESOLVE_BENEATH;
  return Descriptor(
      static_cast<int>(::syscall(SYS_openat2, directory.get(), file.c_str(), &how, sizeof(how))));
}

// Returns at most `size` bytes of the file; nullopt on errors.
std::optional<std::string> contents(const Descriptor& file, size_t size) {
  std::string text(size, '\0');
  size_t end = 0;
  while (end < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + end, text.size() - end);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    end += static_cast<size_t>(n);
  }
  text.resize(end);
  return text;
}

// The owner and the size of a file.
struct File {
  uint32_t owner;
  size_t size;
};
std::optional<File> status_of(const Descriptor& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_size <= 0 || static_cast<size_t>(status.st_size) > ContainerReader::kFileBytesMax)
    return std::nullopt;
  return File{status.st_uid, static_cast<size_t>(status.st_size)};
}

// The names in a directory of containers/storage.
std::map<std::string, ContainerName> read_storage(
    const std::function<std::optional<std::string>(const std::string& file)>& text_of) {
  std::map<std::string, ContainerName> names;
  for (const char* const file : {"/containers.json", "/volatile-containers.json"}) {
    if (const auto text = text_of(file)) names.merge(parse_storage_containers(*text));
  }
  return names;
}

std::optional<ContainerName> find_in(const std::map<std::string, ContainerName>& names,
                                     const std::string& id) {
  const auto name = names.find(id);
  return name == names.end() ? std::nullopt : std::optional(name->second);
}

}  // namespace

ContainerReader::Names ContainerReader::read(std::span<const ContainerCgroup> containers) {
  refused_.clear();
  log_names_.clear();
  storage_.reset();
  passwd_.reset();
  users_.clear();
  namespaces_.reset();
  read_log_names(containers);
  Names names;
  for (const ContainerCgroup& container : containers) names.push_back(find(container));
  set_waits_for({});
  return names;
}

std::optional<ContainerName> ContainerReader::find(const ContainerCgroup& container) {
  if (container.user) return find_of_user(container.id, user_of(*container.user));
  if (auto name = find_in(log_names_, container.id)) return name;
  return find_of_root(container.id);
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
  if (!storage_) {
    const std::string storage = joined({root_, kStorage});
    storage_ = read_storage([&](const std::string& file) { return text_of(storage + file, storage); });
  }
  return find_in(*storage_, id);
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

std::optional<ContainerName> ContainerReader::find_of_user(const std::string& id, User& user) {
  if (user.home.empty() || user.containers == kUserContainersMax) return std::nullopt;
  ++user.containers;
  if (!user.storage) {
    const std::string storage(kUserStorage);
    user.storage = read_storage([&](const std::string& file) { return text_of(user, storage, file); });
  }
  if (auto name = find_in(*user.storage, id)) return name;
  const auto text = text_of(user, std::string(kUserDocker), "/" + id + "/config.v2.json");
  return text ? parse_docker_config(*text) : std::nullopt;
}

ContainerReader::User& ContainerReader::user_of(uint32_t number) {
  const auto [place, is_new] = users_.try_emplace(number);
  User& user = place->second;
  if (!is_new) return user;
  user.number = number;
  const std::string path = root_ + "/etc/passwd";
  if (!passwd_) passwd_ = text_of(path, path).value_or("");
  if (const std::string_view home = find_home(*passwd_, number); !home.empty())
    user.home = joined({root_, home});
  return user;
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

std::optional<std::string> ContainerReader::text_of(const std::string& path, const std::string& named) {
  set_waits_for(path);
  const Descriptor opened(::open(path.c_str(), kOpenFlags));
  if (!opened.is_open()) {
    note_refused(errno, named);
    return std::nullopt;
  }
  const std::optional<File> file = status_of(opened);
  return file ? contents(opened, file->size) : std::nullopt;
}

std::optional<std::string> ContainerReader::text_of(User& user, const std::string& directory,
                                                    const std::string& file) {
  set_waits_for(joined({user.home, "/", directory, file}));
  const Descriptor opened = open_below(user.home, directory + file);
  if (!opened.is_open()) {
    note_refused(errno, joined({user.home, "/", directory}));
    return std::nullopt;
  }
  const std::optional<File> found = status_of(opened);
  if (!found || found->owner != user.number || found->size > kUserBytesMax - user.bytes) return std::nullopt;
  user.bytes += found->size;
  return contents(opened, found->size);
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
