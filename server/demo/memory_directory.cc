#include "server/demo/memory_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

namespace statmill {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "statmill-demo-";

fs::path parent_directory() {
  std::error_code error;
  const fs::path shared = "/dev/shm";
  return fs::is_directory(shared, error) ? shared : fs::temp_directory_path(error);
}

// Returns the open directory with a lock of this process; a closed descriptor if another one has it, or if it
// is not a directory of this user.
Descriptor locked(const fs::path& directory) {
  Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  const bool is_ours = opened.is_open() && ::fstat(opened.get(), &facts) == 0 && facts.st_uid == ::geteuid();
  if (!is_ours || ::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) opened.reset();
  return opened;
}

void remove_leftovers(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator i(parent, error), end; !error && i != end; i.increment(error)) {
    if (!i->path().filename().string().starts_with(kPrefix)) continue;
    const Descriptor lock = locked(i->path());
    std::error_code ignored;
    if (lock.is_open()) fs::remove_all(i->path(), ignored);
  }
}

}  // namespace

Result<MemoryDirectory> MemoryDirectory::make() {
  const fs::path parent = parent_directory();
  remove_leftovers(parent);
  std::string path = (parent / (std::string(kPrefix) + "XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr)
    return Error{ErrorCode::kIo, "create a directory in " + parent.string() + ": " + std::strerror(errno)};
  Descriptor lock = locked(path);
  // Another start may have found the new directory before it was locked.
  if (!lock.is_open()) return Error{ErrorCode::kIo, "lock " + path + ": another process has it"};
  return MemoryDirectory(path, std::move(lock));
}

MemoryDirectory::~MemoryDirectory() {
  std::error_code ignored;
  if (lock_.is_open()) fs::remove_all(path_, ignored);
}

}  // namespace statmill
