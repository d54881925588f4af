#include "storage/files/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/hash.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr mode_t kFileMode = 0644;

Error failed(std::string_view what, const fs::path& path, int error) {
  return {error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
          std::string(what) + " " + path.string() + ": " + std::generic_category().message(error)};
}

// An open file; closed at the end of its scope.
class File {
 public:
  static Result<File> open(const fs::path& path, int flags) {
    Descriptor descriptor(::open(path.c_str(), flags | O_CLOEXEC, kFileMode));
    if (!descriptor.is_open()) return failed((flags & O_CREAT) != 0 ? "create" : "open", path, errno);
    return File(std::move(descriptor), path);
  }

  // Reads up to `size` bytes; fewer only at the end of the file.
  Status read(std::string& out, size_t size) {
    out.resize(size);
    size_t have = 0;
    while (have < size) {
      const ssize_t n = ::read(descriptor_.get(), out.data() + have, size - have);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return failed("read", path_, errno);
      if (n == 0) break;
      have += static_cast<size_t>(n);
    }
    out.resize(have);
    return Status::ok();
  }
  Status write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(descriptor_.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return failed("write", path_, errno);
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return Status::ok();
  }
  Status go_to(uint64_t offset) {
    const off_t at = ::lseek(descriptor_.get(), static_cast<off_t>(offset), SEEK_SET);
    return at >= 0 ? Status::ok() : Status(failed("read", path_, errno));
  }
  Status sync() {
    return ::fsync(descriptor_.get()) == 0 ? Status::ok() : Status(failed("sync", path_, errno));
  }

 private:
  File(Descriptor descriptor, fs::path path) : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Descriptor descriptor_;
  fs::path path_;
};

Status write_synced(const fs::path& path, std::string_view text) {
  auto file = File::open(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file) return file.error();
  if (Status written = file->write(text); !written) return written;
  return file->sync();
}

Error cancelled() { return {ErrorCode::kUnavailable, "cancelled"}; }

// Reads the file in pieces.
Result<FileSum> read_through(File& file, LongJob& job, const std::function<Status(std::string_view)>& take) {
  FileSum sum;
  std::string piece;
  do {
    if (job.is_cancelled()) return cancelled();
    if (Status read = file.read(piece, kPieceBytes); !read) return read.error();
    sum.bytes += piece.size();
    sum.crc32c = crc32c(piece, sum.crc32c);
    if (Status taken = take(piece); !taken) return taken.error();
    job.add(piece.size());
  } while (piece.size() == kPieceBytes);
  return sum;
}

}  // namespace

Status sync_path(const fs::path& path) {
  auto file = File::open(path, O_RDONLY);
  return file ? file->sync() : Status(file.error());
}

fs::path unfinished_file(const fs::path& path) { return path.string() + ".new"; }

Status write_whole_file(const fs::path& path, std::string_view text) {
  const fs::path unfinished = unfinished_file(path);
  Status status = write_synced(unfinished, text);
  if (status && ::rename(unfinished.c_str(), path.c_str()) != 0) status = failed("rename", unfinished, errno);
  if (!status) ::unlink(unfinished.c_str());
  return status;
}

Result<std::string> read_whole_file(const fs::path& path, size_t bytes_max) {
  auto file = File::open(path, O_RDONLY);
  if (!file) return file.error();
  std::string text;
  if (Status read = file->read(text, bytes_max + 1); !read) return read.error();
  if (text.size() <= bytes_max) return text;
  return Error{ErrorCode::kLimit, path.string() + " is longer than " + std::to_string(bytes_max) + " bytes"};
}

Result<FileSum> sum_file(const fs::path& path, LongJob& job) {
  auto file = File::open(path, O_RDONLY);
  if (!file) return file.error();
  return read_through(*file, job, [](std::string_view) { return Status::ok(); });
}

Result<std::string> read_piece(const fs::path& path, uint64_t offset, size_t bytes) {
  auto file = File::open(path, O_RDONLY);
  if (!file) return file.error();
  if (Status at = file->go_to(offset); !at) return at.error();
  std::string piece;
  if (Status read = file->read(piece, bytes); !read) return read.error();
  return piece;
}

Result<FileSum> write_pieces(const fs::path& path, const std::function<Result<std::string>()>& next,
                             LongJob& job) {
  auto file = File::open(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file) return file.error();
  FileSum sum;
  while (true) {
    if (job.is_cancelled()) return cancelled();
    const Result<std::string> piece = next();
    if (!piece) return piece.error();
    if (piece->empty()) break;
    if (Status written = file->write(*piece); !written) return written.error();
    sum.bytes += piece->size();
    sum.crc32c = crc32c(*piece, sum.crc32c);
    job.add(piece->size());
  }
  if (Status synced = file->sync(); !synced) return synced.error();
  return sum;
}

Result<FileSum> copy_file(const fs::path& from, const fs::path& to, LongJob& job) {
  auto source = File::open(from, O_RDONLY);
  if (!source) return source.error();
  auto target = File::open(to, O_WRONLY | O_CREAT | O_EXCL);
  if (!target) return target.error();
  auto sum = read_through(*source, job, [&](std::string_view piece) { return target->write(piece); });
  if (!sum) return sum;
  if (Status synced = target->sync(); !synced) return synced.error();
  return sum;
}

Result<bool> is_missing_or_empty(const fs::path& directory) {
  std::error_code error;
  for (fs::directory_iterator i(directory, error), end; !error && i != end; i.increment(error)) {
    if (i->path().filename() != "lost+found") return false;
  }
  if (!error || error == std::errc::no_such_file_or_directory) return true;
  return failed("list", directory, error.value());
}

Result<bool> create_data_directory(const fs::path& directory) {
  std::error_code error;
  const bool is_new = fs::create_directories(directory, error);
  constexpr fs::perms kOthersWrite = fs::perms::group_write | fs::perms::others_write;
  if (!error && is_new) fs::permissions(directory, kOthersWrite, fs::perm_options::remove, error);
  if (error) return Error{ErrorCode::kIo, "create " + directory.string() + ": " + error.message()};
  return is_new;
}

uint64_t directory_bytes(const fs::path& directory) {
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator i(directory, error), end; !error && i != end; i.increment(error)) {
    std::error_code gone;
    const uint64_t size = i->is_regular_file(gone) ? i->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace statmill
