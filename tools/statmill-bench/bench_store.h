// BenchStore: a RocksStore under measurement. It can wait for RocksDB's background work, complete it, and
// count it.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "storage/rocks/rocks_store.h"

namespace rocksdb {
class ColumnFamilyHandle;
}

namespace statmill {

// Confined to one thread.
class BenchStore {
 public:
  // Opens the store with the server's options, except that writes are not synced: then CPU time does not
  // depend on the disk. Errors: those of RocksStore::open.
  static Result<BenchStore> open(const std::filesystem::path& directory, const Tiers& tiers,
                                 uint64_t block_cache_bytes = RocksOptions().block_cache_bytes);

  Store& store() { return *store_; }

  // Waits until no flush or compaction runs or is due.
  void wait_until_idle();
  // Flushes the write buffers and waits for the compactions that this causes. Errors: kIo.
  Status settle();
  // Compacts the whole tier, so that each chunk becomes one value. Errors: kIo.
  Status compact(TierNo tier);

  uint64_t tier_bytes(TierNo tier);  // the size of the tier's files
  // Drops the store's files from the kernel's page cache, so that the next reads come from the disk. Errors:
  // kIo.
  Status drop_page_cache() const;

 private:
  BenchStore(std::filesystem::path path, RocksDatabase& database, std::unique_ptr<RocksStore> store)
      : path_(std::move(path)), database_(database), store_(std::move(store)) {}

  std::vector<rocksdb::ColumnFamilyHandle*> families() const;

  std::filesystem::path path_;  // the database's directory
  RocksDatabase& database_;     // owned by the store
  std::unique_ptr<RocksStore> store_;
};

}  // namespace statmill
