// BackupManifest: the file BACKUP of a backup: what must be in it, byte for byte (storage/FORMAT.md).
//
// Written last, so that a backup without one is none.
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
  std::string format;  // text of the data directory's file FORMAT
  std::vector<File> files;

  uint64_t bytes() const;
  std::string text() const;
  // Errors: kInvalid (not a manifest, cut short), kVersion, kCorrupt (its own checksum, an impossible line).
  static Result<BackupManifest> parse(std::string_view text);
};

// Of the backup in that directory. Errors also: kNotFound, kIo.
Result<BackupManifest> read_backup_manifest(const std::string& directory);

}  // namespace statmill
