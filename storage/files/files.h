// Files: reads and writes files such that after a crash each is either complete or absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/long_job.h"
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

// Writes and syncs unfinished_file(path), then renames it, so that nobody ever sees half of the file; removes
// it after an error. To make the new name durable, the caller must sync the directory.
Status write_whole_file(const std::filesystem::path& path, std::string_view text);

// Errors: kNotFound, kLimit (the file is longer than bytes_max).
Result<std::string> read_whole_file(const std::filesystem::path& path, size_t bytes_max);

// Reads the whole file; its bytes are added to the job. Errors: kUnavailable if the job is cancelled.
Result<FileSum> sum_file(const std::filesystem::path& path, LongJob& job);

// Returns `bytes` of the file from `offset` on; fewer only at its end. Errors: kNotFound.
Result<std::string> read_piece(const std::filesystem::path& path, uint64_t offset, size_t bytes);

// Writes and syncs a file from the pieces that `next` returns, until an empty one; `path` must not exist. The
// bytes are added to the job. Errors: those of `next`; kUnavailable if the job is cancelled.
Result<FileSum> write_pieces(const std::filesystem::path& path,
                             const std::function<Result<std::string>()>& next, LongJob& job);

// Copies and syncs a file; `to` must not exist. The sum covers what was read and written. Otherwise as
// sum_file().
Result<FileSum> copy_file(const std::filesystem::path& from, const std::filesystem::path& to, LongJob& job);

// Returns true if nothing is there, or a directory that is empty except for lost+found.
Result<bool> is_missing_or_empty(const std::filesystem::path& directory);

// Creates the directory and all above it. Only the owner can write to a new one, whatever the umask: the
// admin socket is opened nowhere else. Returns true if it is new.
Result<bool> create_data_directory(const std::filesystem::path& directory);

// Returns the size of all files under the directory; files removed meanwhile may or may not count.
uint64_t directory_bytes(const std::filesystem::path& directory);

}  // namespace statmill
