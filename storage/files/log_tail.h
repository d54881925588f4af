// Log tail: whether the damage in RocksDB's newest log is no more than what a power cut leaves.
//
// Every batch is synced before the next is written, so that of a log only the last batch can be torn: cut
// short, or with pages that never reached the disk. Damage with another batch after it is a fault of the
// disk.
#pragma once

#include <rocksdb/file_system.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

enum class LogEnd {
  kWhole,    // every record is sound, or the last one is cut short by the end of the file
  kTorn,     // the last batch is damaged, and nothing begins after it
  kDamaged,  // a batch begins after the damage
};

// Of a log's bytes: RocksDB's record format (its wiki, "Write Ahead Log File Format"). Cost: of a sound log
// one CRC32C; of a torn one that of a few times what follows the damage.
LogEnd inspect_log(std::string_view bytes);

// Of the log with the highest number in the database's directory; kWhole when there is none. Reads it whole
// into memory. Errors: kIo.
Result<LogEnd> inspect_newest_log(rocksdb::FileSystem& file_system, const std::string& directory);

}  // namespace statmill
