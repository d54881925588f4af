// RocksOptions: the options of a RocksStore.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "storage/expiry.h"

namespace rocksdb {
class FileSystem;
}

namespace statmill {

class StoreCounters;

struct RocksOptions {
  std::string path;                                 // the data directory; created if missing
  uint64_t block_cache_bytes = uint64_t{64} << 20;  // blocks, indexes and filters of all files together
  uint64_t write_buffer_bytes =
      uint64_t{64}
      << 20;  // of the finest tier and of the journal each; of coarser tiers and last values: a quarter
  uint64_t wal_bytes_max = uint64_t{128} << 20;  // bounds how long a start after a crash replays
  std::shared_ptr<Expiry> expiry;  // shared by all databases that a store opens in turn; null: its own
  uint64_t reserve_bytes = 0;      // disk space kept for a start on a full disk (reserve_file.h); 0: none
  int open_files_max = 512;        // tables that stay open; at least 20
  bool sync = true;                // false: a power cut loses acknowledged data; benches only
  bool salvage = false;            // reads past damage in the log, which is otherwise an error (log_drops())
  std::shared_ptr<StoreCounters> counters;           // shared as `expiry` is; null: its own
  std::shared_ptr<rocksdb::FileSystem> file_system;  // where the database lives; null: the system's own
  std::function<void(std::string_view)> warn;  // called with RocksDB's warnings on any thread; may be empty
};

}  // namespace statmill
