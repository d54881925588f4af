#include "storage/rocks/chunk_merge.h"

#include <string>
#include <utility>

#include "storage/keys.h"

namespace statmill {
namespace {
thread_local int concatenate_only_scopes = 0;
}  // namespace

ConcatenateOnly::ConcatenateOnly() { ++concatenate_only_scopes; }
ConcatenateOnly::~ConcatenateOnly() { --concatenate_only_scopes; }

template <class Operands>
std::string ChunkMerge::merge(const rocksdb::Slice& key, const rocksdb::Slice* base, const Operands& operands,
                              bool oldest) const {
  // The value of an unknown key is kept as it is, under a chunk key that no frame was made for.
  const ChunkKey chunk = parse_chunk_key(tier_, key.ToStringView()).value_or(ChunkKey{tier_, 0, 0});
  std::string joined;
  if (base != nullptr) append_frames(joined, chunk, base->ToStringView());
  for (const rocksdb::Slice& operand : operands) append_frames(joined, chunk, operand.ToStringView());
  if (concatenate_only_scopes > 0) return joined;
  CompactedChunk compacted =
      compact_chunk(chunk, Slot{chunk.chunk} * chunk_slots_, chunk_slots_, joined, oldest);
  damaged_frames_.fetch_add(compacted.damaged_frames, std::memory_order_relaxed);
  return std::move(compacted.value);
}

bool ChunkMerge::FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const {
  if (in.existing_value == nullptr && in.operand_list.size() == 1) {
    out->existing_operand = in.operand_list.front();  // a lone fragment stays unchanged
    return true;
  }
  out->new_value = merge(in.key, in.existing_value, in.operand_list, true);
  return true;
}

bool ChunkMerge::PartialMergeMulti(const rocksdb::Slice& key, const std::deque<rocksdb::Slice>& operands,
                                   std::string* value, rocksdb::Logger*) const {
  *value = merge(key, nullptr, operands, false);
  return true;
}

}  // namespace statmill
