// ExpiryFilter: how RocksDB forgets chunks that are past their retention, whenever it compacts their files.
//
// It goes by the key, so all versions and operands of a chunk that a compaction sees go together. What stays
// in files that it does not see is cut off by readers, as everything expired is. RocksDB asks it whatever
// snapshots there are: one taken before may miss such chunks, which nobody reads.
#pragma once

#include <rocksdb/compaction_filter.h>

#include <atomic>

#include "storage/expiry.h"
#include "storage/keys.h"

namespace statmill {

// Thread-safe.
class ExpiryFilter final : public rocksdb::CompactionFilter {
 public:
  // Both must outlive the database. `rows`: every compaction thread adds to it, the store reads it; relaxed:
  // it stands for itself.
  ExpiryFilter(TierNo tier, const Expiry& expiry, std::atomic<uint64_t>& rows)
      : tier_(tier), expiry_(expiry), rows_(rows) {}

  const char* Name() const override { return "statmill.expiry"; }
  Decision FilterV2(int /*level*/, const rocksdb::Slice& key, ValueType /*type*/,
                    const rocksdb::Slice& /*value*/, std::string* /*new_value*/,
                    std::string* /*skip_until*/) const override {
    const auto chunk = parse_chunk_key(tier_, key.ToStringView());
    if (!chunk || !expiry_.is_expired(*chunk)) return Decision::kKeep;
    rows_.fetch_add(1, std::memory_order_relaxed);
    return Decision::kRemove;
  }

 private:
  const TierNo tier_;
  const Expiry& expiry_;
  std::atomic<uint64_t>& rows_;
};

}  // namespace statmill
