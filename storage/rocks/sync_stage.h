// A file system whose syncs of files, not of directories, count as the stage "fsync" (base/stage.h).
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

namespace statmill {

// Returns a file system that passes everything on to `target`. Cost: a virtual call for each operation of a
// file that is open for writing.
std::shared_ptr<rocksdb::FileSystem> with_sync_stage(const std::shared_ptr<rocksdb::FileSystem>& target);

}  // namespace statmill
