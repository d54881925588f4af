// DatabaseCheckpoint: the files of a database at one moment, as links next to the database. Links are made at
// once, whatever the size of the files, which can then be read without haste.
#pragma once

#include <string>

#include "base/result.h"

namespace statmill {

class RocksDatabase;

// The files exist as long as the object. At most one at a time in a data directory.
class DatabaseCheckpoint {
 public:
  // Flushes the write buffers first, so that it contains at least what was durable at the call. Writes
  // continue meanwhile. Errors: kIo.
  static Result<DatabaseCheckpoint> make(RocksDatabase& database, const std::string& data_directory);
  // Removes what a crash has left of a checkpoint. Requires: this process has locked the data directory.
  static void remove_leftovers(const std::string& data_directory);

  ~DatabaseCheckpoint();
  DatabaseCheckpoint(DatabaseCheckpoint&& other) noexcept;
  DatabaseCheckpoint& operator=(DatabaseCheckpoint&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit DatabaseCheckpoint(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty after a move
};

}  // namespace statmill
