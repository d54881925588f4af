// Settling: what RocksDB does by and by, done now: write buffers become files, files are merged to the
// bottom.
#pragma once

#include <atomic>

#include "base/result.h"
#include "storage/rocks/rocks_database.h"

namespace statmill {

// Any thread may call these; reads and writes go on meanwhile.

// Every write buffer becomes a file; the logs behind it are no longer needed and go. Errors: kIo.
Status flush_buffers(RocksDatabase& database);

// Every row is written anew at the bottom of its family: one frame where frames can be merged, nothing of
// what has been deleted. Takes as long as writing everything takes. Ends soon, with kUnavailable, when
// `cancelled` turns true. Errors: kIo, kCorrupt.
Status compact_all(RocksDatabase& database, std::atomic<bool>& cancelled);

}  // namespace statmill
