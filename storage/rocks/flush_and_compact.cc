#include "storage/rocks/flush_and_compact.h"

#include <vector>

namespace statmill {
namespace {

// RocksDB also deletes files only eventually; switching deletions off and on makes it look for them now.
Status drop_obsolete_files(RocksDatabase& database) {
  rocksdb::Status status = database.db().DisableFileDeletions();
  if (status.ok()) status = database.db().EnableFileDeletions(/*force=*/false);
  return status.ok() ? Status::ok() : Status(error_of(status));
}

}  // namespace

Status flush_buffers(RocksDatabase& database) {
  const rocksdb::Status status = database.db().Flush(rocksdb::FlushOptions(), database.families());
  if (!status.ok()) return error_of(status).with("flush the write buffers");
  return drop_obsolete_files(database);
}

Status compact_all(RocksDatabase& database, std::atomic<bool>& cancelled, LongJob& job) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  options.canceled = &cancelled;
  const std::vector<rocksdb::ColumnFamilyHandle*> families = database.families();
  std::vector<uint64_t> bytes;
  for (rocksdb::ColumnFamilyHandle* family : families) bytes.push_back(database.file_bytes(family));
  for (const uint64_t of_family : bytes) job.expect(of_family);
  size_t number = 0;
  for (rocksdb::ColumnFamilyHandle* family : families) {
    const rocksdb::Status status = database.db().CompactRange(options, family, nullptr, nullptr);
    job.add(bytes[number++]);
    if (cancelled) return Error{ErrorCode::kUnavailable, "the compaction was cancelled"};
    if (!status.ok()) return error_of(status).with("compact");
  }
  return drop_obsolete_files(database);
}

}  // namespace statmill
