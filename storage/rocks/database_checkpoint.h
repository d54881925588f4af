// DatabaseCheckpoint: the files of a database as they are at one moment, beside it, as links: made at once,
// whatever their size, and read at leisure.
#pragma once

#include <string>

#include "base/result.h"
#include "storage/rocks/rocks_database.h"

namespace statmill {

// The files are there as long as it lives. One at a time in a data directory.
class DatabaseCheckpoint {
 public:
  // Holds at least what was durable when this was called; the write buffers are flushed first. Writes go on
  // meanwhile. Errors: kIo.
  static Result<DatabaseCheckpoint> make(RocksDatabase& database, const std::string& data_directory);
  // What a crash has left of one. Requires: the data directory is locked by us.
  static void remove_left_behind(const std::string& data_directory);

  ~DatabaseCheckpoint();
  DatabaseCheckpoint(DatabaseCheckpoint&& other) noexcept;
  DatabaseCheckpoint& operator=(DatabaseCheckpoint&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit DatabaseCheckpoint(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: another has it
};

}  // namespace statmill
