// Disk probe: tests whether a directory accepts writes again before the store is opened on it.
#pragma once

#include <rocksdb/file_system.h>

#include <string>

#include "base/result.h"

namespace statmill {

inline constexpr size_t kProbeBytes = size_t{64} << 10;  // more than a full disk has left

// Creates a file, writes kProbeBytes, syncs file and directory, removes the file. Returns the disk's error.
// Cost: two syncs. After a crash the next probe overwrites the file.
Status probe_disk(rocksdb::FileSystem& file_system, const std::string& directory);

}  // namespace statmill
