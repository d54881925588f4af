// BackupManifest: the file BACKUP of a backup, which lists every file in it with checksum
// (storage/FORMAT.md).
//
// Written last: a directory without it is not a backup.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/files/files.h"

namespace statmill {

inline constexpr const char* kBackupManifest = "BACKUP";
inline constexpr size_t kBackupManifestBytesMax = size_t{64} << 20;

struct BackupManifest {
  struct File {
    std::string name;  // in the backup's db/
    FileSum sum;
  };
  std::string format;  // content of the data directory's file FORMAT
  std::vector<File> files;

  uint64_t bytes() const;
  std::string text() const;
  // Errors: kInvalid (not a manifest, or cut short), kVersion, kCorrupt (its checksum, an impossible line).
  static Result<BackupManifest> parse(std::string_view text);
};

// Returns whether a file of a backup may have this name: it cannot lead out of the directory that it is
// appended to.
bool is_backup_file_name(std::string_view name);

// Checks that parse() accepts the manifest's text, and that it has files. Errors: kInvalid.
Status check_manifest(const BackupManifest& manifest);

// Reads the manifest of the backup in `directory`. Errors: as parse(), kNotFound, kIo.
Result<BackupManifest> read_backup_manifest(const std::string& directory);

}  // namespace statmill
