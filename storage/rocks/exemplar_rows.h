// How RocksDB treats the rows of exemplars: the larger of two with one key is kept, and those of chunks past
// the retention of the finest tier are dropped when their files are compacted.
#pragma once

#include <rocksdb/compaction_filter.h>
#include <rocksdb/merge_operator.h>

#include <string>
#include <string_view>

#include "storage/expiry.h"

namespace statmill {

// The name of their column family.
inline constexpr const char* kExemplarFamily = "exemplars";
// A row that is no exemplar and always there: Debian's RocksDB (built with assertions) aborts if a compaction
// fails whose output would be empty.
inline constexpr std::string_view kExemplarGuardKey{"\0", 1};

// Thread-safe. Keeps the larger of two rows. It never fails: a row that cannot be read is smaller than any
// other.
class ExemplarMerge final : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "statmill.exemplar"; }
  bool Merge(const rocksdb::Slice& key, const rocksdb::Slice* existing, const rocksdb::Slice& value,
             std::string* merged, rocksdb::Logger* logger) const override;
};

// Thread-safe. Drops rows by their key alone, as ExpiryFilter does with chunks.
class ExemplarFilter final : public rocksdb::CompactionFilter {
 public:
  // `expiry` must outlive the database. `chunk_slots` is that of the finest tier.
  ExemplarFilter(const Expiry& expiry, int64_t chunk_slots) : expiry_(expiry), chunk_slots_(chunk_slots) {}

  const char* Name() const override { return "statmill.exemplar_expiry"; }
  Decision FilterV2(int level, const rocksdb::Slice& key, ValueType type, const rocksdb::Slice& value,
                    std::string* new_value, std::string* skip_until) const override;

 private:
  const Expiry& expiry_;
  const int64_t chunk_slots_;
};

}  // namespace statmill
