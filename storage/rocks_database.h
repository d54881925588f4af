// RocksDatabase: the RocksDB under a RocksStore: how it is tuned, its column families, its errors as ours.
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "storage/tiers.h"

namespace statmill {

struct RocksOptions {
  std::string path;                                 // the data directory; created when missing
  uint64_t block_cache_bytes = uint64_t{64} << 20;  // blocks, indexes and filters of all files together
  uint64_t write_buffer_bytes = uint64_t{64}
                                << 20;  // of the finest tier and of the journal each; coarser: a quarter
  uint64_t wal_bytes_max = uint64_t{128} << 20;  // bounds how long a start after a crash replays
  bool sync = true;                              // false: a power cut loses acknowledged data; benches only
};

// Thread-safe.
class RocksDatabase {
 public:
  // `path` is the database's own directory. Errors: kBusy, kCorrupt, kIo.
  static Result<std::unique_ptr<RocksDatabase>> open(const std::string& path, const RocksOptions& options,
                                                     const Tiers& tiers);

  struct Parts {
    std::unique_ptr<std::atomic<uint64_t>>
        damaged_frames;  // outlives db, whose threads add to it (chunk_merge.h)
    std::shared_ptr<rocksdb::Cache> block_cache;
    std::unique_ptr<rocksdb::DB> db;
    std::vector<rocksdb::ColumnFamilyHandle*> families;  // belong to db, given back before it closes
  };
  explicit RocksDatabase(Parts parts) : parts_(std::move(parts)) {}
  ~RocksDatabase();
  RocksDatabase(const RocksDatabase&) = delete;
  RocksDatabase& operator=(const RocksDatabase&) = delete;

  rocksdb::DB& db() { return *parts_.db; }
  rocksdb::ColumnFamilyHandle* meta() const { return parts_.families[0]; }
  rocksdb::ColumnFamilyHandle* series() const { return parts_.families[1]; }
  rocksdb::ColumnFamilyHandle* journal() const { return parts_.families[2]; }
  rocksdb::ColumnFamilyHandle* tier(TierNo tier) const { return parts_.families[3 + size_t{tier}]; }

  uint64_t bytes_on_disk();  // live files and write-ahead logs
  uint64_t memory_bytes();   // write buffers, block cache, open files
  uint64_t damaged_frames() const { return parts_.damaged_frames->load(std::memory_order_relaxed); }

 private:
  Parts parts_;
};

// What a status that is not ok means to us.
Error error_of(const rocksdb::Status& status);

}  // namespace statmill
