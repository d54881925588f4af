// BenchStore: a RocksStore under measurement, whose work in the background can be waited for, driven to its
// end, and counted.
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
  // As the server has it but for sync: nothing waits for the disk, so that CPU time repeats.
  // Errors: as RocksStore::open.
  static Result<BenchStore> open(const std::filesystem::path& directory, const Tiers& tiers,
                                 uint64_t block_cache_bytes = RocksOptions().block_cache_bytes);

  Store& store() { return *store_; }

  // Returns when no flush or compaction is under way or due.
  void wait_until_idle();
  // Write buffers become files, and what compactions follow of themselves end. Errors: kIo.
  Status settle();
  // One compaction of the whole tier: each chunk becomes one value. Errors: kIo.
  Status compact(TierNo tier);

  uint64_t tier_bytes(TierNo tier);  // of its files
  // Drops the store's files from the kernel's page cache: the next reads come from the disk. Errors: kIo.
  Status drop_page_cache() const;

 private:
  BenchStore(std::filesystem::path path, RocksDatabase& database, std::unique_ptr<RocksStore> store)
      : path_(std::move(path)), database_(database), store_(std::move(store)) {}

  std::vector<rocksdb::ColumnFamilyHandle*> families() const;

  std::filesystem::path path_;  // of the database
  RocksDatabase& database_;     // the store's
  std::unique_ptr<RocksStore> store_;
};

}  // namespace statmill
