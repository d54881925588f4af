// ScratchDirectory: a temporary directory. The destructor removes it with its content.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace statmill {

class ScratchDirectory {
 public:
  // Creates one in `parent`, or in the system's directory for temporary files if `parent` is empty. Errors:
  // kIo.
  static Result<ScratchDirectory> make(const std::filesystem::path& parent);
  ~ScratchDirectory();
  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty: moved from
};

}  // namespace statmill
