// Backup: a copy of a store with checksums, which can be restored to a data directory (storage/FORMAT.md).
//
//   DIR/BACKUP   the manifest, written last
//   DIR/db/      the files of the database
//
// It is a copy and has no links to the store's files: a bad block or a careless write would damage both. It
// has no file FORMAT, so that no server opens it as a data directory and changes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/files/files.h"

namespace statmill {

struct BackupSummary {
  uint64_t files = 0;
  uint64_t bytes = 0;
};

// Copies the files in `database`, which must not change meanwhile, to the new backup `directory`. The backup
// is durable on return; after an error nothing of it is left. Errors: kInvalid if the directory exists and is
// not empty, kIo, kUnavailable if cancelled.
Result<BackupSummary> write_backup(const std::string& database, const std::string& format,
                                   const std::string& directory, LongJob& job);

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
