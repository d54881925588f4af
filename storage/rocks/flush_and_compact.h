// Does now what RocksDB does eventually: flushes write buffers to files, merges all files to the bottom.
#pragma once

#include <atomic>

#include "base/long_job.h"
#include "base/result.h"
#include "storage/rocks/rocks_database.h"

namespace statmill {

// Thread-safe; reads and writes continue meanwhile.

// Writes every write buffer to a file; logs that are no longer needed are deleted. Errors: kIo.
Status flush_buffers(RocksDatabase& database);

// Rewrites every row at the bottom level of its family: frames that can merge become one, deleted data
// vanish. Takes as long as writing everything does. Returns kUnavailable soon after `cancelled` becomes true.
// The job gets the bytes of each family when it is done. Errors: kIo, kCorrupt.
Status compact_all(RocksDatabase& database, std::atomic<bool>& cancelled, LongJob& job);

}  // namespace statmill
