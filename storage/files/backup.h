// Backup: a copy of a store that proves itself, and becomes a data directory again (storage/FORMAT.md).
//
//   DIR/BACKUP   the manifest, written last
//   DIR/db/      the files of the database
//
// It is a copy, never links to the store's own files: a bad block, or a hand that writes where it should not,
// would have both. It has no file FORMAT, so that no server takes it for its data directory and changes it.
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

// Copies the files in `database`, which nobody changes meanwhile, to the new backup `directory`. All is on
// the disk when it returns. On an error, nothing of it is left. Errors: kInvalid when the directory is
// there and not empty, kIo, kUnavailable when cancelled.
Result<BackupSummary> write_backup(const std::string& database, const std::string& format,
                                   const std::string& directory, const Cancelled& cancelled);

struct BackupFault {
  std::string file;  // below the backup's directory
  std::string what;
};

struct BackupVerdict {
  BackupSummary summary;  // as the manifest has it
  std::vector<BackupFault> faults;
};

// Reads every byte of the backup and compares it with the manifest. Errors, when there is no manifest to go
// by: kNotFound, kInvalid, kVersion, kCorrupt, kIo.
Result<BackupVerdict> verify_backup(const std::string& directory);

// Makes a data directory of the backup. Every file is checked while it is copied, and FORMAT comes last: a
// directory that is not all there never opens. On an error, nothing of it is left. Errors: as
// verify_backup(); kCorrupt at the first fault; kInvalid when `target` is there and not empty.
Result<BackupSummary> restore_backup(const std::string& directory, const std::string& target);

}  // namespace statmill
