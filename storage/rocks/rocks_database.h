// RocksDatabase: the RocksDB database of a RocksStore: its tuning, its column families, its errors as ours.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "storage/rocks/expiry_filter.h"
#include "storage/rocks/flushed_ticks.h"
#include "storage/rocks/log_drops.h"
#include "storage/rocks/rocks_options.h"
#include "storage/rocks/store_counters.h"
#include "storage/store.h"

namespace statmill {

enum class RocksAccess {
  kCreate,     // creates the database if there is none
  kReadWrite,  // the database must exist
  kReadOnly,   // changes nothing on disk and takes no lock; the log is read into memory
};

// Thread-safe. After a failed write all later writes fail too; RocksStore handles that.
class RocksDatabase {
 public:
  // `path` is the database's own directory. A last batch that a power cut has torn was never acknowledged: it
  // is left out, with a call of `options.warn`. Errors: kBusy, kCorrupt, kIo.
  static Result<std::unique_ptr<RocksDatabase>> open(const std::string& path, const RocksOptions& options,
                                                     const Tiers& tiers,
                                                     RocksAccess access = RocksAccess::kCreate);

  struct Parts {
    // These must outlive db, whose threads use them (chunk_merge.h, expiry_filter.h).
    std::shared_ptr<StoreCounters> counters;
    std::shared_ptr<Expiry> expiry;
    std::vector<std::unique_ptr<ExpiryFilter>> filters;  // by tier
    std::unique_ptr<rocksdb::CompactionFilter> exemplar_filter;
    std::shared_ptr<rocksdb::Cache> block_cache;
    LogDrops log_drops;
    std::unique_ptr<rocksdb::Env> env;  // the file system, and the threads of the process
    std::unique_ptr<rocksdb::DB> db;
    rocksdb::ColumnFamilyOptions exemplar_options;
    // Without that of exemplars. Owned by db, released before it closes.
    std::vector<rocksdb::ColumnFamilyHandle*> families;
  };
  explicit RocksDatabase(Parts parts) : parts_(std::move(parts)) {}
  ~RocksDatabase();
  RocksDatabase(const RocksDatabase&) = delete;
  RocksDatabase& operator=(const RocksDatabase&) = delete;

  rocksdb::DB& db() { return *parts_.db; }
  rocksdb::ColumnFamilyHandle* meta() const { return parts_.families[0]; }
  rocksdb::ColumnFamilyHandle* series() const { return parts_.families[1]; }
  rocksdb::ColumnFamilyHandle* journal() const { return parts_.families[2]; }
  // Returns nullptr if a database that was opened read-only has no such tier yet.
  rocksdb::ColumnFamilyHandle* tier(TierNo tier) const {
    const size_t family = 3 + size_t{tier};
    return family < parts_.families.size() ? parts_.families[family] : nullptr;
  }
  // Returns nullptr if the database has no such family yet: an older program made it.
  rocksdb::ColumnFamilyHandle* exemplars() const { return exemplars_.load(std::memory_order_acquire); }
  // For the thread that writes batches, before it writes one: adds the family of exemplars if it is missing,
  // after which no older program opens the database. Errors: kIo.
  Status add_missing_families();
  // For the thread that writes batches: false if there never was an exemplar.
  bool has_exemplars() const { return has_exemplars_; }
  void note_exemplars() { has_exemplars_ = true; }

  std::vector<rocksdb::ColumnFamilyHandle*> families() const;  // all

  DatabaseBytes database_bytes();                            // may wait for the disk
  uint64_t file_bytes(rocksdb::ColumnFamilyHandle* family);  // live files
  uint64_t tier_bytes(TierNo tier);                          // the same; 0 if there is no such tier
  uint64_t memory_bytes();                                   // write buffers, block cache, open files
  Expiry& expiry() { return *parts_.expiry; }
  FlushedTicks& flushed_ticks() { return *flushed_ticks_; }
  const LogDrops& log_drops() const { return parts_.log_drops; }  // of opening it

 private:
  Status load_floors(const Tiers& tiers);
  void load_flushed_ticks();
  void look_for_exemplars();

  Parts parts_;
  std::optional<FlushedTicks> flushed_ticks_;  // set by open()
  // Owned by db. Set by open(), or once by the thread that writes; read by any.
  std::atomic<rocksdb::ColumnFamilyHandle*> exemplars_{nullptr};
  bool has_exemplars_ = false;  // confined to the thread that writes batches, once it is open
};

// Converts a status that is not ok.
Error error_of(const rocksdb::Status& status);

// Returns the tick at the begin of a row; 0 if there is no row. Errors: kIo, kCorrupt.
Result<TickNo> read_tick(RocksDatabase& database, const rocksdb::ReadOptions& options, std::string_view key);

}  // namespace statmill
