#include "tools/statmill/snapshot_copy.h"

#include "base/hash.h"
#include "storage/files/backup_manifest.h"

namespace statmill {
namespace {

// Returns the file of the earlier backup that is the same as far as the server can tell; null if there is
// none.
Result<const BackupManifest::File*> same_file(const ServerSnapshot& snapshot,
                                              const ServerSnapshot::File& file, const KnownFiles& known) {
  const BackupManifest::File* same = nullptr;
  const auto found = known.find(file.name);
  if (found == known.end() || found->second.sum.bytes != file.bytes) return same;
  LongJob unseen;  // it counts when it is copied, or linked
  const auto crc = snapshot.crc32c(file, unseen);
  if (!crc) return crc.error();
  if (*crc == found->second.sum.crc32c) same = &found->second;
  return same;
}

// Copies a file, or adds that of the earlier backup. Returns whether it did the latter.
Result<bool> add(const ServerSnapshot& snapshot, const ServerSnapshot::File& file, const Earlier& earlier,
                 BackupWriter& writer, LongJob& job) {
  const auto same = same_file(snapshot, file, earlier.files);
  if (!same) return same.error();
  if (*same != nullptr) {
    const Result<bool> added = writer.add_from(earlier.directory, **same, job);
    if (!added || *added) return added;
  }
  uint64_t offset = 0;
  const auto next = [&]() -> Result<std::string> {
    auto piece = snapshot.read(file, offset);
    if (piece) offset += piece->size();
    return piece;
  };
  if (Status added = writer.add(file.name, next, job); !added) return added.error();
  return false;
}

}  // namespace

Result<Earlier> read_earlier(const std::string& backup) {
  Earlier out{.directory = backup, .files = {}};
  if (backup.empty()) return out;
  const auto manifest = read_backup_manifest(backup);
  if (!manifest) return Error(manifest.error()).with(backup);
  for (const BackupManifest::File& file : manifest->files) out.files[file.name] = file;
  return out;
}

Result<Copied> copy_snapshot(const ServerSnapshot& snapshot, BackupWriter writer, const Earlier& earlier,
                             LongJob& job) {
  job.expect(snapshot.bytes());
  uint64_t shared = 0;
  for (const ServerSnapshot::File& file : snapshot.files()) {
    if (job.is_cancelled()) return Error{ErrorCode::kUnavailable, "cancelled"};
    const Result<bool> is_shared = add(snapshot, file, earlier, writer, job);
    if (!is_shared) return is_shared.error();
    if (*is_shared) ++shared;
  }
  const auto summary = writer.finish();
  if (!summary) return summary.error();
  return Copied{*summary, shared};
}

Status write_tar(const ServerSnapshot& snapshot, TarWriter tar, LongJob& job) {
  BackupManifest manifest;
  manifest.format = snapshot.format();
  job.expect(snapshot.bytes());
  for (const ServerSnapshot::File& file : snapshot.files()) {
    if (!is_backup_file_name(file.name))
      return Error{ErrorCode::kInvalid, "\"" + file.name + "\" is no name of a file"};
    if (Status begun = tar.begin("db/" + file.name, file.bytes); !begun) return begun;
    FileSum sum;
    while (sum.bytes < file.bytes) {
      if (job.is_cancelled()) return Error{ErrorCode::kUnavailable, "cancelled"};
      const auto piece = snapshot.read(file, sum.bytes);
      if (!piece) return piece.error();
      if (Status written = tar.write(*piece); !written) return written;
      sum.bytes += piece->size();
      sum.crc32c = crc32c(*piece, sum.crc32c);
      job.add(piece->size());
    }
    if (Status ended = tar.end(); !ended) return ended;
    manifest.files.push_back({file.name, sum});
  }
  if (Status checked = check_manifest(manifest); !checked) return checked;
  const std::string text = manifest.text();
  if (Status begun = tar.begin(kBackupManifest, text.size()); !begun) return begun;
  if (Status written = tar.write(text); !written) return written;
  if (Status ended = tar.end(); !ended) return ended;
  return tar.finish();
}

}  // namespace statmill
