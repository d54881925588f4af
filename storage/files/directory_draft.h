// DirectoryDraft: a data directory or a backup under construction, which is removed again unless its last
// file gets written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// Confined to one thread.
class DirectoryDraft {
 public:
  // Creates `directory` and the db/ in it, which only its owner can open: it has all data, and secrets.
  // `last_file` is the name of the file without which the directory is incomplete. Errors: kInvalid if the
  // directory is not empty, kIo.
  static Result<DirectoryDraft> make(const std::string& directory, std::string_view last_file);
  DirectoryDraft(DirectoryDraft&& other) noexcept;
  DirectoryDraft& operator=(DirectoryDraft&&) = delete;
  ~DirectoryDraft();

  // Returns the directory of the database's files.
  std::string database() const;
  // Makes all files durable, then writes the last one. Errors: kIo.
  Status finish(std::string_view text);

 private:
  DirectoryDraft(std::string directory, std::filesystem::path last_file, bool is_new);

  std::string directory_;  // empty if finished or moved from
  std::filesystem::path last_file_;
  bool is_new_ = false;
};

}  // namespace statmill
