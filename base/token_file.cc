#include "base/token_file.h"

#include <fstream>

namespace statmill {

Result<std::string> read_token_file(std::string_view setting, const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path);
  std::string token;
  const auto invalid = [&](std::string_view why) {
    return Error{ErrorCode::kInvalid, std::string(setting) + " " + path + ": " + std::string(why)};
  };
  if (!std::getline(file, token)) return invalid("cannot be read, or is empty");
  if (token.size() < kTokenBytesMin || token.size() > kTokenBytesMax)
    return invalid("the first line must have 16 to 512 bytes");
  return token;
}

Status TokenFile::load() {
  auto token = read_token_file(setting_, path_);
  if (!token) return token.error();
  MutexLock lock(mutex_);
  token_ = std::move(*token);
  return Status::ok();
}

std::string TokenFile::token() const {
  MutexLock lock(mutex_);
  return token_;
}

}  // namespace statmill
