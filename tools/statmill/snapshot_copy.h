// Copies of a server's snapshot: as a backup in a directory, or as a tar archive of one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/long_job.h"
#include "base/result.h"
#include "storage/files/backup.h"
#include "storage/files/backup_manifest.h"
#include "tools/statmill/server_snapshot.h"
#include "tools/statmill/tar_writer.h"

namespace statmill {

// The files of an earlier backup, by name.
using KnownFiles = std::map<std::string, BackupManifest::File, std::less<>>;
struct Earlier {
  std::string directory;
  KnownFiles files;
};
// Reads the manifest of a backup; an empty name is that of a backup without files. Errors: as
// read_backup_manifest().
Result<Earlier> read_earlier(const std::string& backup);

struct Copied {
  BackupSummary summary;
  uint64_t shared = 0;  // files that the earlier backup has, too
};

// Copies the snapshot to the new backup. Files that the earlier one has with the same name, size and checksum
// become links to its files, or copies of them on another filesystem. Errors: those of ServerSnapshot and
// BackupWriter.
Result<Copied> copy_snapshot(const ServerSnapshot& snapshot, BackupWriter writer, const Earlier& earlier,
                             LongJob& job);

// Writes a tar archive whose files are those of a backup, the manifest last. Errors: those of ServerSnapshot
// and TarWriter.
Status write_tar(const ServerSnapshot& snapshot, TarWriter tar, LongJob& job);

}  // namespace statmill
