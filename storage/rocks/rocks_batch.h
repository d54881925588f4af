// RocksBatch: a StoreBatch as one WriteBatch of RocksDB.
#pragma once

#include <rocksdb/write_batch.h>

#include "storage/rocks/rocks_database.h"
#include "storage/store.h"
#include "storage/tiers.h"

namespace statmill {

// Collects operations in a WriteBatch and keeps the first error.
class RocksBatch {
 public:
  void add(const rocksdb::Status& status) {
    if (status_.ok()) status_ = status;
  }
  rocksdb::WriteBatch& batch() { return batch_; }
  const rocksdb::Status& status() const { return status_; }

 private:
  rocksdb::WriteBatch batch_;
  rocksdb::Status status_;
};

// Requires: the tiers of all fragments are below tiers.stored_count().
RocksBatch rocks_batch_of(const StoreBatch& batch, RocksDatabase& database, const Tiers& tiers);

}  // namespace statmill
