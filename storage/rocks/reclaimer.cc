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
  if (const uint64_t version = database.expiry().version(); version != version_) {
    version_ = version;
    tier_ = 0;
    chunk_ = 0;
    for (TierNo t = 0; t < tiers_.count(); ++t) {
      if (Status dropped = drop_files(database, t); !dropped) return dropped.error();
    }
  }
  while (tier_ < tiers_.count() && !cancelled) {
    const auto next = next_chunk(database, tier_, chunk_);
    if (!next) return next.error();
    if (!*next) {
      ++tier_;
      chunk_ = 0;
      continue;
    }
    const auto worth_it = is_worth_compacting(database, tier_, **next);
    if (!worth_it) return worth_it.error();
    if (*worth_it) {
      if (Status done = compact(database, tier_, **next, cancelled); !done) return done.error();
    }
    if (!cancelled) chunk_ = **next + 1;
    if (*worth_it) return !cancelled;
  }
  return false;
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

// Returns the lowest chunk number >= `from` that has rows and may have expired ones.
Result<std::optional<ChunkNo>> Reclaimer::next_chunk(RocksDatabase& database, TierNo tier, ChunkNo from) {
  const std::string end = chunk_key(database.expiry().end(tier), 0);
  const rocksdb::Slice end_slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> row(database.db().NewIterator(options, database.tier(tier)));
  row->Seek(chunk_key(from, 0));
  if (!row->status().ok()) return error_of(row->status());
  if (!row->Valid()) return std::optional<ChunkNo>();
  const auto key = parse_chunk_key(tier, row->key().ToStringView());
  if (!key) return Error{ErrorCode::kCorrupt, "a chunk key is not 8 bytes long"};
  return std::optional<ChunkNo>(key->chunk);
}

// Returns whether enough of a chunk number's rows are expired, from a sample of rows at even distances of
// ids.
Result<bool> Reclaimer::is_worth_compacting(RocksDatabase& database, TierNo tier, ChunkNo chunk) {
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

Status Reclaimer::compact(RocksDatabase& database, TierNo tier, ChunkNo chunk, std::atomic<bool>& cancelled) {
  const std::string first = chunk_key(chunk, 0);
  const std::string last = chunk_key(chunk, kLastId);
  const rocksdb::Slice first_slice(first);
  const rocksdb::Slice last_slice(last);
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  options.canceled = &cancelled;
  const rocksdb::Status status =
      database.db().CompactRange(options, database.tier(tier), &first_slice, &last_slice);
  if (status.ok() || cancelled) return Status::ok();
  return error_of(status).with("compact expired chunks");
}

}  // namespace statmill
