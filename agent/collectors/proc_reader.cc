#include "agent/collectors/proc_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace statmill {
namespace {

constexpr size_t kChunkBytes = 16384;

Error failure(const std::string& path, int error) {
  const ErrorCode code = error == ENOENT || error == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
  return {code, path + ": " + std::strerror(error)};
}

}  // namespace

ProcReader::ProcReader(std::string root) : root_(std::move(root)) {}

ProcReader::~ProcReader() {
  for (const auto& [file, descriptor] : open_) ::close(descriptor);
}

Result<std::string_view> ProcReader::read(const std::string& file) {
  const std::string path = root_ + "/" + file;
  auto it = open_.find(file);
  if (it == open_.end()) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return failure(path, errno);
    it = open_.emplace(file, descriptor).first;
  }
  const auto give_up = [&](Error error) {
    ::close(it->second);
    open_.erase(it);
    return error;
  };
  size_t size = 0;
  while (true) {
    if (text_.size() < size + kChunkBytes) text_.resize(size + kChunkBytes);
    const ssize_t n = ::pread(it->second, text_.data() + size, kChunkBytes, static_cast<off_t>(size));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return give_up(failure(path, errno));
    if (n == 0) return std::string_view(text_.data(), size);
    size += static_cast<size_t>(n);
    if (size > kFileBytesMax) return give_up({ErrorCode::kLimit, path + ": longer than 4 MiB"});
  }
}

}  // namespace statmill
