#include "tools/statmill/import/block_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace statmill {

Result<BlockFile> BlockFile::open(const std::string& path) {
  BlockFile out;
  out.file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (!out.file_.is_open() || ::fstat(out.file_.get(), &about) != 0)
    return Error{ErrorCode::kIo, std::strerror(errno)};
  out.size_ = static_cast<uint64_t>(about.st_size);
  out.written_s_ = about.st_mtim.tv_sec;
  return out;
}

BlockFile BlockFile::of(std::string bytes, int64_t written_s) {
  BlockFile out;
  out.written_s_ = written_s;
  out.size_ = bytes.size();
  out.memory_ = std::move(bytes);
  return out;
}

Result<std::string_view> BlockFile::read(uint64_t offset, size_t bytes) {
  if (offset > size_ || size_ - offset < bytes) return Error{ErrorCode::kCorrupt, "the file is cut"};
  if (!file_.is_open()) return std::string_view(memory_).substr(offset, bytes);
  buffer_.resize(bytes);
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n =
        ::pread(file_.get(), buffer_.data() + done, bytes - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{ErrorCode::kIo, std::strerror(errno)};
    if (n == 0) return Error{ErrorCode::kCorrupt, "the file is cut"};
    done += static_cast<size_t>(n);
  }
  return std::string_view(buffer_);
}

}  // namespace statmill
