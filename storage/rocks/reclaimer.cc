#include "storage/rocks/reclaimer.h"

#include <rocksdb/convenience.h>

#include <limits>
#include <memory>

#include "storage/keys.h"
#include "storage/rocks/rocks_database.h"

namespace statmill {
namespace {

constexpr SeriesId kLastId = std::numeric_limits<SeriesId>::max();

}  // namespace

Result<bool> Reclaimer::step(RocksDatabase& database, std::atomic<bool>& cancelled) {
  if (database.expiry().version() != version_) {
    if (Status s = begin_pass(database); !s) return s.error();
  }
  while (!cancelled) {
    const auto found = find_next(database);
    if (!found) return found.error();
    if (!*found) return false;
    const auto is_worth_it = is_worth_compacting(database, position_);
    if (!is_worth_it) return is_worth_it.error();
    if (*is_worth_it) {
      if (Status s = compact(database, position_, cancelled); !s) return s.error();
      if (cancelled) return false;
    }
    ++position_.chunk;
    if (*is_worth_it) return true;
  }
  return false;
}

Status Reclaimer::begin_pass(RocksDatabase& database) {
  version_ = database.expiry().version();
  position_ = {};
  for (TierNo tier = 0; tier < tiers_.stored_count(); ++tier) {
    if (Status s = drop_files(database, tier); !s) return s;
  }
  return Status::ok();
}

// Afterwards only the youngest files, not yet partitioned by chunk, may still hold chunks below the floor.
Status Reclaimer::drop_files(RocksDatabase& database, TierNo tier) {
  const ChunkNo floor = database.expiry().floor(tier);
  if (floor == dropped_[tier]) return Status::ok();
  const std::string first = chunk_key(0, 0);
  const std::string end = chunk_key(floor, 0);
  const rocksdb::Slice first_slice(first);
  const rocksdb::Slice end_slice(end);
  const rocksdb::RangePtr range(&first_slice, &end_slice);
  const rocksdb::Status status =
      rocksdb::DeleteFilesInRanges(&database.db(), database.tier(tier), &range, 1, false);
  if (!status.ok()) return error_of(status).with("delete expired files");
  dropped_[tier] = floor;
  return Status::ok();
}

// Moves to the next chunk number that may have expired rows, and returns false at the end of the pass.
Result<bool> Reclaimer::find_next(RocksDatabase& database) {
  for (; position_.tier < tiers_.stored_count(); position_ = {static_cast<TierNo>(position_.tier + 1), 0}) {
    const auto chunk = next_chunk(database, position_);
    if (!chunk) return chunk.error();
    if (!*chunk) continue;
    position_.chunk = **chunk;
    return true;
  }
  return false;
}

// Returns the lowest chunk number from `from` on, in its tier, that has rows and may have expired ones.
Result<std::optional<ChunkNo>> Reclaimer::next_chunk(RocksDatabase& database, Position from) {
  const std::string end = chunk_key(database.expiry().end(from.tier), 0);
  const rocksdb::Slice end_slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> row(database.db().NewIterator(options, database.tier(from.tier)));
  row->Seek(chunk_key(from.chunk, 0));
  if (!row->status().ok()) return error_of(row->status());
  if (!row->Valid()) return std::optional<ChunkNo>();
  const auto key = parse_chunk_key(from.tier, row->key().ToStringView());
  if (!key) return Error{ErrorCode::kCorrupt, "a chunk key is not 8 bytes long"};
  return std::optional<ChunkNo>(key->chunk);
}

// Returns whether enough of a chunk number's rows are expired, from a sample of rows at even distances of
// ids.
Result<bool> Reclaimer::is_worth_compacting(RocksDatabase& database, Position at) {
  const auto [tier, chunk] = at;
  const std::string first = chunk_key(chunk, 0);
  const std::string last = chunk_key(chunk, kLastId);
  const rocksdb::Slice first_slice(first);
  const rocksdb::Slice last_slice(last);
  rocksdb::ReadOptions options;
  options.iterate_lower_bound = &first_slice;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> row(database.db().NewIterator(options, database.tier(tier)));
  row->SeekForPrev(last_slice);
  std::optional<ChunkKey> seen;
  const auto end = row->Valid() ? parse_chunk_key(tier, row->key().ToStringView()) : std::nullopt;
  SeriesId rows = 0;
  SeriesId expired = 0;
  for (uint64_t i = 0; end && i < kSampleRows; ++i) {
    row->Seek(chunk_key(chunk, static_cast<SeriesId>(uint64_t{end->id} * i / (kSampleRows - 1))));
    const auto key = row->Valid() ? parse_chunk_key(tier, row->key().ToStringView()) : std::nullopt;
    if (!key || key->chunk != chunk || seen == key) continue;
    seen = key;
    ++rows;
    if (database.expiry().is_expired(*key)) ++expired;
  }
  if (!row->status().ok()) return error_of(row->status());
  return expired > 0 && expired * kSampleRows >= rows * kExpiredRowsMin;
}

Status Reclaimer::compact(RocksDatabase& database, Position at, std::atomic<bool>& cancelled) {
  const std::string first = chunk_key(at.chunk, 0);
  const std::string last = chunk_key(at.chunk, kLastId);
  const rocksdb::Slice first_slice(first);
  const rocksdb::Slice last_slice(last);
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  options.canceled = &cancelled;
  const rocksdb::Status status =
      database.db().CompactRange(options, database.tier(at.tier), &first_slice, &last_slice);
  if (status.ok() || cancelled) return Status::ok();
  return error_of(status).with("compact expired chunks");
}

}  // namespace statmill
