#include "storage/files/directory_draft.h"

#include <system_error>
#include <utility>

#include "storage/files/data_directory.h"
#include "storage/files/files.h"

namespace statmill {

namespace fs = std::filesystem;

Result<DirectoryDraft> DirectoryDraft::make(const std::string& directory, std::string_view last_file) {
  const Result<bool> is_free = is_missing_or_empty(directory);
  if (!is_free) return is_free.error();
  if (!*is_free) return Error{ErrorCode::kInvalid, "it exists and is not empty"};
  const Result<bool> is_new = create_data_directory(directory);
  if (!is_new) return is_new.error();
  std::error_code error;
  fs::create_directory(database_path(directory), error);
  if (!error) fs::permissions(database_path(directory), fs::perms::owner_all, error);
  if (error) return Error{ErrorCode::kIo, "create " + directory + ": " + error.message()};
  return DirectoryDraft(directory, fs::path(directory) / last_file, *is_new);
}

DirectoryDraft::DirectoryDraft(std::string directory, fs::path last_file, bool is_new)
    : directory_(std::move(directory)), last_file_(std::move(last_file)), is_new_(is_new) {}

DirectoryDraft::DirectoryDraft(DirectoryDraft&& other) noexcept
    : directory_(std::exchange(other.directory_, {})),
      last_file_(std::move(other.last_file_)),
      is_new_(other.is_new_) {}

DirectoryDraft::~DirectoryDraft() {
  if (directory_.empty()) return;
  std::error_code ignored;  // what cannot be removed stays, without its last file
  fs::remove(last_file_, ignored);
  fs::remove_all(database_path(directory_), ignored);
  fs::remove(unfinished_file(last_file_), ignored);
  if (is_new_) fs::remove(directory_, ignored);
}

std::string DirectoryDraft::database() const { return database_path(directory_); }

Status DirectoryDraft::finish(std::string_view text) {
  const fs::path parent = fs::path(directory_) / "..";
  for (const fs::path& path : {fs::path(database_path(directory_)), fs::path(directory_), parent}) {
    if (Status synced = sync_path(path); !synced) return synced;
  }
  if (Status written = write_whole_file(last_file_, text); !written) return written;
  if (Status synced = sync_path(directory_); !synced) return synced;
  directory_.clear();
  return Status::ok();
}

}  // namespace statmill
