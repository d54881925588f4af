// Files: reading and writing them so that after a crash each is there whole, or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// What a copy or a reading through came upon.
struct FileSum {
  uint64_t bytes = 0;
  uint32_t crc32c = 0;
  friend bool operator==(const FileSum&, const FileSum&) = default;
};

// Errors of all: kIo, with the path; what else there is stands beside each.

// Makes what has been written to a file, or the names in a directory, survive a power cut.
Status sync_path(const std::filesystem::path& path);

// Where a file is written before it gets its name: left there by a crash.
std::filesystem::path unfinished_file(const std::filesystem::path& path);

// Writes the file under that name first. Its directory is still to be synced.
Status write_whole_file(const std::filesystem::path& path, std::string_view text);

// Errors: kNotFound, kLimit (the file is longer).
Result<std::string> read_whole_file(const std::filesystem::path& path, size_t bytes_max);

// Asked between two pieces of a long reading: true ends it with kUnavailable.
using Cancelled = std::function<bool()>;

// Reads all of the file.
Result<FileSum> sum_file(const std::filesystem::path& path, const Cancelled& cancelled);

// Writes and syncs a file that was not there. The sum is of what was read and written.
Result<FileSum> copy_file(const std::filesystem::path& from, const std::filesystem::path& to,
                          const Cancelled& cancelled);

// Whether nothing is there, or a directory with nothing in it but lost+found.
Result<bool> is_missing_or_empty(const std::filesystem::path& directory);

// Of all files under the directory; those that go away meanwhile may count or not.
uint64_t directory_bytes(const std::filesystem::path& directory);

}  // namespace statmill
