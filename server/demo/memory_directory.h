// MemoryDirectory: a directory for the life of the process, on a file system in memory.
#pragma once

#include <filesystem>

#include "base/descriptor.h"
#include "base/result.h"

namespace statmill {

// Removes the directory with all that is in it when it is destroyed.
class MemoryDirectory {
 public:
  // Makes a directory with a name of its own in /dev/shm, or in the system's directory for temporary files if
  // there is none. Removes those there whose processes were killed: a process holds a lock on its own.
  // Errors: kIo.
  static Result<MemoryDirectory> make();

  ~MemoryDirectory();
  MemoryDirectory(MemoryDirectory&&) = default;
  MemoryDirectory& operator=(MemoryDirectory&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  MemoryDirectory(std::filesystem::path path, Descriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  Descriptor lock_;  // of the directory; open as long as it is ours
};

}  // namespace statmill
