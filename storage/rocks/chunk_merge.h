// ChunkMerge: how RocksDB combines the fragments of a chunk, when it compacts and when it reads.
//
// It never refuses: a merge operator that returns false makes the whole database read-only at the next
// compaction. What it cannot read it passes through and counts.
#pragma once

#include <rocksdb/merge_operator.h>

#include <atomic>
#include <cstdint>

#include "storage/codec/codec.h"

namespace statmill {

// While one lives, merges on its thread only join fragments: a reader decodes them anyway, and joining costs
// nothing beside coding a chunk anew. Flushes and compactions run on RocksDB's own threads.
class JoinOnly {
 public:
  JoinOnly();
  ~JoinOnly();
  JoinOnly(const JoinOnly&) = delete;
  JoinOnly& operator=(const JoinOnly&) = delete;
};

// Thread-safe.
class ChunkMerge final : public rocksdb::MergeOperator {
 public:
  // `damaged_frames` must outlive the database; every compaction thread and reader adds to it, the store
  // reads it; relaxed: it stands for itself.
  ChunkMerge(TierNo tier, int64_t chunk_slots, std::atomic<uint64_t>& damaged_frames)
      : tier_(tier), chunk_slots_(chunk_slots), damaged_frames_(damaged_frames) {}

  const char* Name() const override { return "statmill.chunk"; }
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override;
  bool PartialMergeMulti(const rocksdb::Slice& key, const std::deque<rocksdb::Slice>& operands,
                         std::string* value, rocksdb::Logger* logger) const override;

 private:
  template <class Operands>
  std::string merge(const rocksdb::Slice& key, const rocksdb::Slice* base, const Operands& operands,
                    bool oldest) const;

  const TierNo tier_;
  const int64_t chunk_slots_;
  std::atomic<uint64_t>& damaged_frames_;
};

}  // namespace statmill
