#include "agent/spool/disk_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/descriptor.h"

namespace statmill {
namespace {

constexpr const char* kLock = "lock";
constexpr std::string_view kUnfinished = ".new";  // suffix of a file that will replace another
constexpr mode_t kDirectoryMode = 0700;
constexpr mode_t kFileMode = 0600;

// Repeats the call while signals interrupt it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// The error of the last failed call, from errno.
Error failed(std::string_view what, const std::string& name) {
  const int error = errno;
  ErrorCode code = ErrorCode::kIo;
  if (error == ENOENT) code = ErrorCode::kNotFound;
  if (error == EEXIST) code = ErrorCode::kBusy;
  return {code, std::string(what) + " " + name + ": " + std::generic_category().message(error)};
}

Descriptor open_at(int directory, const std::string& name, int flags) {
  return Descriptor(
      uninterrupted([&] { return ::openat(directory, name.c_str(), flags | O_CLOEXEC, kFileMode); }));
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = uninterrupted([&] { return ::write(file, bytes.data(), bytes.size()); });
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool sync_data(int file) {
  return uninterrupted([&] { return ::fdatasync(file); }) == 0;
}

class DiskFile final : public SpoolFile {
 public:
  DiskFile(std::string name, Descriptor file) : name_(std::move(name)), file_(std::move(file)) {}

  Status append(std::string_view bytes) override {
    if (!write_all(file_.get(), bytes)) return failed("write", name_);
    return Status::ok();
  }
  Status sync() override {
    if (!sync_data(file_.get())) return failed("sync", name_);
    return Status::ok();
  }

 private:
  const std::string name_;
  const Descriptor file_;
};

}  // namespace

Result<std::unique_ptr<DiskDirectory>> DiskDirectory::open(const std::string& path) {
  if (::mkdir(path.c_str(), kDirectoryMode) != 0 && errno != EEXIST) return failed("create", path);
  Descriptor directory = open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
  if (!directory.is_open()) return failed("open", path);
  Descriptor lock = open_at(directory.get(), kLock, O_RDWR | O_CREAT);
  if (!lock.is_open()) return failed("open", path + "/" + kLock);
  if (uninterrupted([&] { return ::flock(lock.get(), LOCK_EX | LOCK_NB); }) != 0) {
    if (errno == EWOULDBLOCK) return Error{ErrorCode::kBusy, path + ": another process uses it"};
    return failed("lock", path + "/" + kLock);
  }
  auto made = std::unique_ptr<DiskDirectory>(new DiskDirectory(path, std::move(directory), std::move(lock)));
  if (Status status = made->remove_unfinished(); !status) return std::move(status).error();
  return made;
}

// Removes files left by a crash within replace().
Status DiskDirectory::remove_unfinished() {
  const auto names = list();
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (!name.ends_with(kUnfinished)) continue;
    if (Status status = remove(name); !status) return status;
  }
  return Status::ok();
}

Result<SpoolLocation> DiskDirectory::location(const std::string& root) const {
  struct statx status {};
  if (::statx(lock_.get(), "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &status) != 0) {
    return failed("stat", path_ + "/" + kLock);
  }
  std::string machine;
  std::ifstream in(root + "/etc/machine-id");
  std::getline(in, machine);
  std::string text = "machine " + machine + " inode " + std::to_string(status.stx_ino);
  if ((status.stx_mask & STATX_BTIME) != 0) {
    text +=
        " born " + std::to_string(status.stx_btime.tv_sec) + "." + std::to_string(status.stx_btime.tv_nsec);
  }
  SpoolLocation location = machine_facts(root);
  location.directory = fact_hash(text);
  return location;
}

Result<std::vector<std::string>> DiskDirectory::list() {
  // Opened separately, because the read position belongs to the descriptor.
  Descriptor descriptor = open_at(directory_.get(), ".", O_RDONLY | O_DIRECTORY);
  if (!descriptor.is_open()) return failed("list", path_);
  DIR* const stream = ::fdopendir(descriptor.get());
  if (stream == nullptr) return failed("list", path_);
  descriptor.release();
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(stream)) {
    if (entry->d_type != DT_DIR) names.emplace_back(entry->d_name);
  }
  const int error = errno;
  ::closedir(stream);
  errno = error;
  if (error != 0) return failed("list", path_);
  return names;
}

Result<std::string> DiskDirectory::read(const std::string& name, uint64_t offset, size_t bytes) {
  const Descriptor file = open_at(directory_.get(), name, O_RDONLY);
  if (!file.is_open()) return failed("open", name);
  std::string out(bytes, '\0');
  size_t size = 0;
  while (size < bytes) {
    const ssize_t n = uninterrupted(
        [&] { return ::pread(file.get(), &out[size], bytes - size, static_cast<off_t>(offset + size)); });
    if (n < 0) return failed("read", name);
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  out.resize(size);
  return out;
}

Result<uint64_t> DiskDirectory::size(const std::string& name) {
  struct stat status {};
  if (::fstatat(directory_.get(), name.c_str(), &status, 0) != 0) return failed("stat", name);
  return static_cast<uint64_t>(status.st_size);
}

Result<std::unique_ptr<SpoolFile>> DiskDirectory::open_for_append(const std::string& name) {
  Descriptor file = open_at(directory_.get(), name, O_WRONLY | O_APPEND);
  if (!file.is_open()) return failed("open", name);
  return std::unique_ptr<SpoolFile>(std::make_unique<DiskFile>(name, std::move(file)));
}

Status DiskDirectory::rewrite(const std::string& name, std::string_view contents) {
  const Descriptor file = open_at(directory_.get(), name, O_WRONLY);
  if (!file.is_open()) return failed("open", name);
  if (!write_all(file.get(), contents)) return failed("write", name);
  const auto end = static_cast<off_t>(contents.size());
  if (uninterrupted([&] { return ::ftruncate(file.get(), end); }) != 0) return failed("truncate", name);
  if (!sync_data(file.get())) return failed("sync", name);
  return Status::ok();
}

Status DiskDirectory::remove(const std::string& name) {
  if (::unlinkat(directory_.get(), name.c_str(), 0) != 0 && errno != ENOENT) return failed("remove", name);
  return Status::ok();
}

Status DiskDirectory::replace(const std::string& name, std::string_view contents) {
  const std::string unfinished = name + std::string(kUnfinished);
  Status status = write_whole(unfinished, contents);
  if (status && ::renameat(directory_.get(), unfinished.c_str(), directory_.get(), name.c_str()) != 0) {
    status = failed("rename", unfinished);
  }
  if (!status) ::unlinkat(directory_.get(), unfinished.c_str(), 0);  // free its space on a full disk
  return status;
}

Status DiskDirectory::write_whole(const std::string& name, std::string_view contents) {
  const Descriptor file = open_at(directory_.get(), name, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file.is_open()) return failed("create", name);
  if (!write_all(file.get(), contents)) return failed("write", name);
  if (!sync_data(file.get())) return failed("sync", name);
  return Status::ok();
}

Status DiskDirectory::sync() {
  if (uninterrupted([&] { return ::fsync(directory_.get()); }) != 0) return failed("sync", path_);
  return Status::ok();
}

}  // namespace statmill
