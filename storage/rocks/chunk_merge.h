// ChunkMerge: how RocksDB combines the fragments of a chunk when it compacts and when it reads.
//
// It never fails: if a merge operator returns false, the next compaction makes the whole database read-only.
// It keeps and counts frames that it cannot decode.
#pragma once

#include <rocksdb/merge_operator.h>

#include <atomic>
#include <cstdint>

#include "storage/codec/codec.h"

namespace statmill {

// While an instance exists, merges on its thread only concatenate fragments: a reader decodes them anyway,
// and concatenating costs nothing compared with encoding a chunk again. Flushes and compactions are not
// affected, since they run on RocksDB's threads.
class ConcatenateOnly {
 public:
  ConcatenateOnly();
  ~ConcatenateOnly();
  ConcatenateOnly(const ConcatenateOnly&) = delete;
  ConcatenateOnly& operator=(const ConcatenateOnly&) = delete;
};

// Thread-safe.
class ChunkMerge final : public rocksdb::MergeOperator {
 public:
  // `damaged_frames` must outlive the database. Compaction threads and readers add to it, the store reads it;
  // relaxed, since it is independent of other data.
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
