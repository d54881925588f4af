#include "base/file_version.h"

#include <sys/stat.h>

#include <fstream>

namespace statmill {

std::optional<FileVersion> file_version(const std::string& path) {
  struct stat state {};
  if (::stat(path.c_str(), &state) != 0) return std::nullopt;
  return FileVersion{state.st_dev, state.st_ino,
                     state.st_mtim.tv_sec * int64_t{1'000'000'000} + state.st_mtim.tv_nsec, state.st_size,
                     S_ISREG(state.st_mode)};
}

Result<std::string> read_file(const std::string& path, size_t bytes_max) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(bytes_max + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad() || !stream.is_open()) return Error{ErrorCode::kIo, "cannot be read"};
  text.resize(static_cast<size_t>(stream.gcount()));
  return text;
}

}  // namespace statmill
