#include "tools/statmill-bench/scratch_directory.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "tools/statmill-bench/system_error.h"

namespace statmill {

Result<ScratchDirectory> ScratchDirectory::make(const std::filesystem::path& parent) {
  const std::filesystem::path& base = parent.empty() ? std::filesystem::temp_directory_path() : parent;
  std::string path = (base / "statmill-bench-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) return system_error(ErrorCode::kIo, path);
  return ScratchDirectory(path);
}

ScratchDirectory::ScratchDirectory(ScratchDirectory&& other) noexcept
    : path_(std::exchange(other.path_, std::filesystem::path())) {}

ScratchDirectory::~ScratchDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;  // a file that cannot be removed does not fail a measurement
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace statmill
