// Files that are read again when they have changed: settings that a program watches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace statmill {

// Differs after a file is written or replaced.
struct FileVersion {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t changed_ns = 0;  // since 1970
  int64_t size = 0;
  bool is_regular = false;  // no folder, pipe or device
  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

// Returns nullopt if there is no such file. Follows links. Cost: a stat().
std::optional<FileVersion> file_version(const std::string& path);

// Returns the text of a file, of which at most bytes_max + 1 bytes are read: a longer text means that the
// file is longer than `bytes_max`. Errors: kIo, without the path.
Result<std::string> read_file(const std::string& path, size_t bytes_max);

}  // namespace statmill
