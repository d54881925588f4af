#include "storage/rocks/ids_without_chunks.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/check.h"
#include "storage/keys.h"
#include "storage/rocks/chunk_merge.h"
#include "storage/rocks/rocks_database.h"

namespace statmill {
namespace {

// A seek costs as much as passing over so many rows.
constexpr SeriesId kRowsPerSeek = 8;

class Search {
 public:
  Search(std::span<const SeriesId> ids, const std::atomic<bool>& cancelled)
      : ids_(ids), has_chunk_(ids.size(), false), cancelled_(cancelled) {}

  // Marks the ids that have a chunk in the tier.
  Status visit(RocksDatabase& database, TierNo tier) {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    const std::unique_ptr<rocksdb::Iterator> row(database.db().NewIterator(options, database.tier(tier)));
    row->SeekToFirst();
    for (uint64_t steps = 0;; ++steps) {
      if (steps % 1024 == 0 && cancelled_) return Error{ErrorCode::kUnavailable, "cancelled"};
      if (!row->Valid()) break;
      const auto key = parse_chunk_key(tier, row->key().ToStringView());
      if (!key) return Error{ErrorCode::kCorrupt, "a chunk key is not 8 bytes long"};
      const auto next = std::lower_bound(ids_.begin(), ids_.end(), key->id);
      if (next == ids_.end()) {
        if (key->chunk == std::numeric_limits<ChunkNo>::max()) break;
        row->Seek(chunk_key(key->chunk + 1, ids_.front()));
      } else if (*next - key->id >= kRowsPerSeek) {
        row->Seek(chunk_key(key->chunk, *next));
      } else {
        if (*next == key->id) has_chunk_[static_cast<size_t>(next - ids_.begin())] = true;
        row->Next();
      }
    }
    return row->status().ok() ? Status::ok() : Status(error_of(row->status()));
  }

  std::vector<SeriesId> without_chunks() const {
    std::vector<SeriesId> out;
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (!has_chunk_[i]) out.push_back(ids_[i]);
    }
    return out;
  }

 private:
  const std::span<const SeriesId> ids_;
  std::vector<bool> has_chunk_;
  const std::atomic<bool>& cancelled_;
};

}  // namespace

Result<std::vector<SeriesId>> ids_without_chunks(RocksDatabase& database, const Tiers& tiers,
                                                 std::span<const SeriesId> ids,
                                                 const std::atomic<bool>& cancelled) {
  SM_CHECK(std::is_sorted(ids.begin(), ids.end()));
  if (ids.empty()) return std::vector<SeriesId>();
  const ConcatenateOnly concatenate_only;
  Search search(ids, cancelled);
  for (TierNo tier = 0; tier < tiers.stored_count(); ++tier) {
    if (database.tier(tier) == nullptr) continue;
    if (Status s = search.visit(database, tier); !s) return s.error();
  }
  return search.without_chunks();
}

}  // namespace statmill
