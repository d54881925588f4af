// ExpiryFilter: makes RocksDB drop chunks past their retention whenever it compacts their files.
//
// It looks only at the key, so all versions and operands of a chunk in one compaction are dropped together.
// Readers ignore everything expired, including what remains in other files. RocksDB applies the filter
// whatever snapshots exist: an older snapshot may lack such chunks, which nobody reads.
#pragma once

#include <rocksdb/compaction_filter.h>

#include <atomic>

#include "storage/expiry.h"
#include "storage/keys.h"

namespace statmill {

// Thread-safe.
class ExpiryFilter final : public rocksdb::CompactionFilter {
 public:
  // Both must outlive the database. Compaction threads add to `rows`, the store reads it; relaxed, since it
  // is independent of other data.
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
