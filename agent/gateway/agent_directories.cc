#include "agent/gateway/agent_directories.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/descriptor.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".new";
constexpr std::string_view kRemoved = ".gone";
constexpr std::string_view kDamaged = ".damaged";

Error failed(std::string_view what, const std::string& path, int error) {
  return {ErrorCode::kIo, std::string(what) + " " + path + ": " + std::generic_category().message(error)};
}

Status sync_directory(const std::string& path) {
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open() || ::fsync(directory.get()) != 0) return failed("sync", path, errno);
  return Status::ok();
}

Status remove_all(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  return error ? Status(failed("remove", path, error.value())) : Status::ok();
}

}  // namespace

Result<AgentDirectories> AgentDirectories::open(std::string path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed("create", path, errno);
  if (Status synced = sync_directory(fs::path(path).parent_path()); !synced) return synced.error();
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().string();
    if (!name.ends_with(kUnfinished) && !name.ends_with(kRemoved)) continue;
    if (Status removed = remove_all(name); !removed) return removed.error();
  }
  if (error) return failed("list", path, error.value());
  return AgentDirectories(std::move(path));
}

Result<std::vector<AgentId>> AgentDirectories::list() const {
  std::vector<AgentId> ids;
  std::error_code error;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error)) {
    if (const auto id = AgentId::parse(it->path().filename().string())) ids.push_back(*id);
  }
  if (error) return failed("list", path_, error.value());
  return ids;
}

std::string AgentDirectories::other_path(const AgentId& id, std::string_view suffix) const {
  return path_of(id) + std::string(suffix);
}

Status AgentDirectories::rename(const std::string& from, const std::string& to) const {
  if (::rename(from.c_str(), to.c_str()) != 0) return failed("rename", from, errno);
  return sync_directory(path_);
}

Result<std::string> AgentDirectories::unfinished(const AgentId& id) const {
  std::string path = other_path(id, kUnfinished);
  if (Status removed = remove_all(path); !removed) return removed.error();
  return path;
}

Status AgentDirectories::publish(const AgentId& id) const {
  return rename(other_path(id, kUnfinished), path_of(id));
}

Status AgentDirectories::remove(const AgentId& id) const {
  const std::string removed = other_path(id, kRemoved);
  if (Status status = remove_all(removed); !status) return status;
  if (Status status = rename(path_of(id), removed); !status) return status;
  return remove_all(removed);
}

Status AgentDirectories::put_aside(const AgentId& id) const {
  const std::string aside = other_path(id, kDamaged);
  if (Status status = remove_all(aside); !status) return status;
  return rename(path_of(id), aside);
}

}  // namespace statmill
