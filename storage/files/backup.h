// Backup: a copy of a store with checksums, which can be restored to a data directory (storage/FORMAT.md).
//
//   DIR/BACKUP   the manifest, written last
//   DIR/db/      the files of the database
//
// It is a copy and has no links to the store's files: a bad block or a careless write would damage both.
// Files that an earlier backup has, too, may be links to that. It has no file FORMAT, so that no server opens
// it as a data directory and changes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "storage/files/backup_manifest.h"
#include "storage/files/directory_draft.h"
#include "storage/files/files.h"

namespace statmill {

struct BackupSummary {
  uint64_t files = 0;
  uint64_t bytes = 0;
};

// Writes a backup file by file. Unless finish() succeeds, nothing of it is left. Confined to one thread.
class BackupWriter {
 public:
  // Creates the directory. Errors: kInvalid if it exists and is not empty, kIo.
  static Result<BackupWriter> make(const std::string& directory);

  // The content of the store's file FORMAT.
  void set_format(std::string format) { manifest_.format = std::move(format); }
  // Adds a file of the database with the pieces that `next` returns, until an empty one. Errors: those of
  // `next`; kInvalid if the name could lead out of the directory; kIo; kUnavailable if the job is cancelled.
  Status add(const std::string& name, const std::function<Result<std::string>()>& next, LongJob& job);
  // Adds a file of another backup: as a hard link, or as a copy if that is on another filesystem. Reads all
  // of it, and adds its bytes to the job. Returns false, and adds nothing, if the file is missing or not as
  // `file` says. Errors: kIo; kUnavailable if the job is cancelled.
  Result<bool> add_from(const std::string& other, const BackupManifest::File& file, LongJob& job);
  // Makes the backup durable. Errors: kInvalid if nobody could restore it, kIo.
  Result<BackupSummary> finish();

 private:
  explicit BackupWriter(DirectoryDraft draft) : draft_(std::move(draft)) {}

  DirectoryDraft draft_;
  BackupManifest manifest_;
};

struct BackupFault {
  std::string file;  // relative to the backup's directory
  std::string what;
};

struct BackupReport {
  BackupSummary summary;  // from the manifest
  std::vector<BackupFault> faults;
};

// Reads every byte of the backup and compares it with the manifest. Errors, if the manifest cannot be used:
// kNotFound, kInvalid, kVersion, kCorrupt, kIo.
Result<BackupReport> verify_backup(const std::string& directory, LongJob& job);

// Makes a data directory from the backup. Every file is checked while it is copied, and FORMAT is written
// last, so that an incomplete directory never opens. After an error nothing of it is left. Errors: as
// verify_backup(); kCorrupt at the first fault; kInvalid if `target` exists and is not empty.
Result<BackupSummary> restore_backup(const std::string& directory, const std::string& target, LongJob& job);

}  // namespace statmill
