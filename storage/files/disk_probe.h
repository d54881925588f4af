// Disk probe: whether a directory takes files again, asked of the disk itself before anything is staked on
// it.
#pragma once

#include <rocksdb/file_system.h>

#include <string>

#include "base/result.h"

namespace statmill {

inline constexpr size_t kProbeBytes = size_t{64} << 10;  // more than what is left of a disk that is full

// Makes a file, writes kProbeBytes, syncs file and directory, removes it. The error is the disk's. Cost: two
// syncs. What a crash leaves of it is overwritten by the next probe.
Status probe_disk(rocksdb::FileSystem& file_system, const std::string& directory);

}  // namespace statmill
