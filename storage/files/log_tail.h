// Log tail: tests whether damage in RocksDB's newest log is what a power cut leaves.
//
// Every batch is synced before the next is written, so a power cut can tear only the last batch of a log: cut
// it short, or lose pages that never reached the disk. Damage with another batch after it is a disk fault.
#pragma once

#include <rocksdb/file_system.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

enum class LogEnd {
  kWhole,    // every record is valid, or the end of the file cuts the last one short
  kTorn,     // the last batch is damaged, and nothing begins after it
  kDamaged,  // a batch begins after the damage
};

// Inspects a log's bytes in RocksDB's record format (its wiki, "Write Ahead Log File Format"). Cost: one
// CRC32C of a valid log; for a torn one, in addition a few times that of what follows the damage.
LogEnd inspect_log(std::string_view bytes);

// Inspects the log with the highest number in the database's directory; kWhole if there is none. Reads the
// whole log into memory. Errors: kIo.
Result<LogEnd> inspect_newest_log(rocksdb::FileSystem& file_system, const std::string& directory);

// Returns the bytes of all logs in the database's directory, without those that cannot be read.
uint64_t log_bytes(rocksdb::FileSystem& file_system, const std::string& directory);

}  // namespace statmill
