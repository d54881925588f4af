#include "storage/rocks/used_ids.h"

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "storage/keys.h"
#include "storage/rocks/chunk_merge.h"
#include "storage/rocks/rocks_database.h"

namespace statmill {
namespace {

// A seek costs as much as passing over so many rows.
constexpr SeriesId kRowsPerSeek = 8;
constexpr uint64_t kStepsPerCheck = 16;  // between two looks at `cancelled`; each may read from the disk

}  // namespace

Result<std::optional<TierChunk>> remove_used_ids(RocksDatabase& database, std::vector<SeriesId>& ids,
                                                 TierChunk from, const std::atomic<bool>& cancelled) {
  SM_CHECK(std::is_sorted(ids.begin(), ids.end()));
  rocksdb::ColumnFamilyHandle* const tier = database.tier(from.tier);
  if (tier == nullptr) return std::optional<TierChunk>();
  const ConcatenateOnly concatenate_only;
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> row(database.db().NewIterator(options, tier));
  std::optional<ChunkNo> chunk;  // the one that is looked at
  std::vector<SeriesId> used;
  row->Seek(chunk_key(from.chunk, 0));
  for (uint64_t steps = 0;; ++steps) {
    if (steps % kStepsPerCheck == 0 && cancelled) return Error{ErrorCode::kUnavailable, "cancelled"};
    if (!row->Valid()) break;
    const auto key = parse_chunk_key(from.tier, row->key().ToStringView());
    if (!key) return Error{ErrorCode::kCorrupt, "a chunk key is not 8 bytes long"};
    if (!chunk) chunk = key->chunk;
    const auto next = std::lower_bound(ids.begin(), ids.end(), key->id);
    if (key->chunk != *chunk || next == ids.end()) break;
    if (*next - key->id >= kRowsPerSeek) {
      row->Seek(chunk_key(*chunk, *next));
      continue;
    }
    if (*next == key->id) used.push_back(key->id);
    row->Next();
  }
  if (!row->status().ok()) return error_of(row->status());
  if (!chunk) return std::optional<TierChunk>();
  std::erase_if(ids, [&](SeriesId id) { return std::binary_search(used.begin(), used.end(), id); });
  return std::optional(next_tier_chunk({from.tier, *chunk}));
}

}  // namespace statmill
