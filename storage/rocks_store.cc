// See rocks_store.h.
#include "storage/rocks_store.h"

#include <rocksdb/convenience.h>
#include <rocksdb/write_batch.h>

#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "storage/data_directory.h"
#include "storage/keys.h"
#include "storage/rocks_snapshot.h"

namespace statmill {
namespace {

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

std::string tick_row(TickNo tick, std::string_view activity = {}) {
  std::string row;
  Writer out(row);
  out.u64be(tick);
  out.bytes(activity);
  return row;
}

std::string series_row(const SeriesRow& series) {
  std::string row;
  Writer out(row);
  out.u8(static_cast<uint8_t>(series.kind));
  out.bytes(series.name);
  return row;
}

// Adds operations to a WriteBatch and keeps the first that failed.
class Operations {
 public:
  void add(const rocksdb::Status& status) {
    if (status_.ok()) status_ = status;
  }
  rocksdb::WriteBatch& batch() { return batch_; }
  const rocksdb::Status& status() const { return status_; }

 private:
  rocksdb::WriteBatch batch_;
  rocksdb::Status status_;
};

void add_meta(Operations& operations, const RocksDatabase& database, const StoreBatch& batch) {
  rocksdb::WriteBatch& out = operations.batch();
  for (const StoreBatch::Flushed& flushed : batch.flushed) {
    operations.add(
        out.Put(database.meta(), flushed_key(flushed.shard), tick_row(flushed.tick, flushed.activity)));
  }
  if (batch.rollup_position) {
    const std::string position = chunk_key(batch.rollup_position->chunk, batch.rollup_position->id);
    operations.add(out.Put(database.meta(), slice(kRollupKey), position));
  }
  if (batch.journal_trim) {
    operations.add(out.Put(database.meta(), slice(kTrimKey), tick_row(*batch.journal_trim)));
    // From 0 each time: tombstones that nest are cheap to read past, adjacent ones are not.
    operations.add(
        out.DeleteRange(database.journal(), journal_key({0, 0}), journal_key({*batch.journal_trim, 0})));
  }
}

}  // namespace

Result<std::unique_ptr<RocksStore>> RocksStore::open(const RocksOptions& options, const Tiers& tiers) {
  const std::string context = "data directory " + options.path;
  Result<std::string> path = prepare_data_directory(options.path, tiers);
  if (!path) return std::move(path.error()).with(context);
  auto database = RocksDatabase::open(*path, options, tiers);
  if (!database) {
    Error error = database.error();
    if (error.code == ErrorCode::kBusy) return Error{error.code, context + " is in use by another process"};
    return std::move(error).with(context);
  }
  return std::make_unique<RocksStore>(tiers, options.sync, std::move(*database));
}

Status RocksStore::write(const StoreBatch& batch) {
  if (batch.is_empty()) return Status::ok();
  Operations operations;
  rocksdb::WriteBatch& out = operations.batch();
  for (const SeriesRow& series : batch.series) {
    operations.add(out.Put(database_->series(), series_key(series.id), series_row(series)));
  }
  for (const StoreBatch::Row& row : batch.journal) {
    operations.add(out.Put(database_->journal(), journal_key({row.tick, row.shard}), row.bytes));
  }
  for (const StoreBatch::Fragment& fragment : batch.fragments) {
    SM_CHECK(fragment.key.tier < tiers_.count());
    operations.add(out.Merge(database_->tier(fragment.key.tier),
                             chunk_key(fragment.key.chunk, fragment.key.id), fragment.frames));
  }
  add_meta(operations, *database_, batch);
  if (!operations.status().ok()) return error_of(operations.status());
  rocksdb::WriteOptions options;
  options.sync = sync_;
  const rocksdb::Status status = database_->db().Write(options, &out);
  return status.ok() ? Status::ok() : Status(error_of(status).with("write to the store"));
}

std::unique_ptr<StoreSnapshot> RocksStore::snapshot() {
  return std::make_unique<RocksSnapshot>(*database_, tiers_);
}

Status RocksStore::load(const LoadVisitor& visitor) {
  return RocksSnapshot(*database_, tiers_).load(visitor);
}

Status RocksStore::expire(TierNo tier, ChunkNo chunk) {
  SM_CHECK(tier < tiers_.count());
  const Result<std::optional<ChunkNo>> oldest = RocksSnapshot(*database_, tiers_).oldest_chunk(tier);
  if (!oldest) return oldest.error();
  if (!*oldest || **oldest >= chunk) return Status::ok();
  const std::string first = chunk_key(0, 0);
  const std::string end = chunk_key(chunk, 0);
  const rocksdb::Slice begin_slice(first);
  const rocksdb::Slice end_slice(end);
  const rocksdb::RangePtr range(&begin_slice, &end_slice);
  // Whole files first, at no cost; the range deletion then covers the youngest, not yet partitioned by chunk.
  rocksdb::Status status =
      rocksdb::DeleteFilesInRanges(&database_->db(), database_->tier(tier), &range, 1, false);
  if (status.ok()) {
    rocksdb::WriteOptions options;
    options.sync = sync_;
    status = database_->db().DeleteRange(options, database_->tier(tier), begin_slice, end_slice);
  }
  return status.ok() ? Status::ok() : Status(error_of(status).with("drop what is past its retention"));
}

StoreStats RocksStore::stats() {
  return {database_->bytes_on_disk(), database_->memory_bytes(), database_->damaged_frames()};
}

}  // namespace statmill
