#include "base/free_bytes.h"

#include <filesystem>

namespace statmill {

std::optional<uint64_t> free_bytes(const std::string& path) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(path, error);
  if (error) return std::nullopt;
  return space.available;
}

}  // namespace statmill
