#include "tools/statmill/whole_file.h"

#include <fstream>
#include <system_error>

namespace statmill {

Status write_whole_file(const std::filesystem::path& path, const std::string& content) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path unfinished = path.string() + ".new";
  std::ofstream file(unfinished, std::ios::trunc);
  file << content;
  file.close();
  if (!file) {
    fs::remove(unfinished, error);
    return Error{ErrorCode::kIo, "write " + unfinished.string()};
  }
  fs::rename(unfinished, path, error);
  if (error) return Error{ErrorCode::kIo, "rename to " + path.string() + ": " + error.message()};
  return Status::ok();
}

}  // namespace statmill
