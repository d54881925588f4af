// Files: reads and writes files such that after a crash each is either complete or absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// Size and checksum of what was read.
struct FileSum {
  uint64_t bytes = 0;
  uint32_t crc32c = 0;
  friend bool operator==(const FileSum&, const FileSum&) = default;
};

// All of these return kIo with the path; other errors are listed at each function.

// Makes a file's content, or a directory's names, survive a power cut.
Status sync_path(const std::filesystem::path& path);

// Returns the name under which a file is written before it gets its own; a crash may leave such a file.
std::filesystem::path unfinished_file(const std::filesystem::path& path);

// Writes unfinished_file(path), then renames it. The caller must sync the directory.
Status write_whole_file(const std::filesystem::path& path, std::string_view text);

// Errors: kNotFound, kLimit (the file is longer than bytes_max).
Result<std::string> read_whole_file(const std::filesystem::path& path, size_t bytes_max);

// Called between two pieces of a long read; if it returns true, the read ends with kUnavailable.
using Cancelled = std::function<bool()>;

// Reads the whole file.
Result<FileSum> sum_file(const std::filesystem::path& path, const Cancelled& cancelled);

// Copies and syncs a file; `to` must not exist. The sum covers what was read and written.
Result<FileSum> copy_file(const std::filesystem::path& from, const std::filesystem::path& to,
                          const Cancelled& cancelled);

// Returns true if nothing is there, or a directory that is empty except for lost+found.
Result<bool> is_missing_or_empty(const std::filesystem::path& directory);

// Creates the directory and all above it. Only the owner can write to a new one, whatever the umask: the
// admin socket is opened nowhere else. Returns true if it is new.
Result<bool> create_data_directory(const std::filesystem::path& directory);

// Returns the size of all files under the directory; files removed meanwhile may or may not count.
uint64_t directory_bytes(const std::filesystem::path& directory);

}  // namespace statmill
