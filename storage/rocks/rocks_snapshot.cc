#include "storage/rocks/rocks_snapshot.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "storage/keys.h"
#include "storage/rocks/chunk_merge.h"
#include "storage/value_row.h"

namespace statmill {
namespace {

constexpr size_t kReadaheadBytes = size_t{2} << 20;
// Passing over a row takes about an eighth of the time of finding one.
constexpr size_t kRowsPerWanted = 8;

Error corrupt(std::string_view what) { return {ErrorCode::kCorrupt, std::string(what)}; }

// Options for reading a range: large reads that do not evict other blocks from the cache.
rocksdb::ReadOptions scan_options(const rocksdb::Snapshot* snapshot, const rocksdb::Slice* upper) {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  options.iterate_upper_bound = upper;
  options.readahead_size = kReadaheadBytes;
  options.fill_cache = false;
  return options;
}

rocksdb::ReadOptions point_options(const rocksdb::Snapshot* snapshot) {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  return options;
}

}  // namespace

RocksSnapshot::RocksSnapshot(std::shared_ptr<RocksDatabase> database, const Tiers& tiers)
    : database_(std::move(database)),
      tiers_(tiers),
      flushes_before_(database_->flushed_ticks().ended_writes()),
      snapshot_(database_->db().GetSnapshot()),
      flushed_ticks_(database_->flushed_ticks().at_snapshot(flushes_before_)) {
  for (TierNo t = 0; t < tiers_.stored_count(); ++t) {
    const bool is_there = database_->tier(t) != nullptr;
    floors_[t] = is_there ? database_->expiry().floor(t) : std::numeric_limits<ChunkNo>::max();
  }
}

RocksSnapshot::~RocksSnapshot() { database_->db().ReleaseSnapshot(snapshot_); }

Result<std::string> RocksSnapshot::get(rocksdb::ColumnFamilyHandle* family, std::string_view key) {
  std::string value;
  const rocksdb::Status status =
      database_->db().Get(point_options(snapshot_), family, rocksdb::Slice(key.data(), key.size()), &value);
  if (status.IsNotFound()) return std::string();
  if (!status.ok()) return error_of(status);
  return value;
}

Result<TickNo> RocksSnapshot::tick_of(std::string_view meta_key) {
  return read_tick(*database_, point_options(snapshot_), meta_key);
}

Result<TickNo> RocksSnapshot::last_tick() { return tick_of(kTickKey); }

Result<RocksSnapshot::Flushed> RocksSnapshot::flushed(ShardNo shard) {
  const Result<std::string> row = get(database_->meta(), flushed_key(shard));
  if (!row) return row.error();
  if (row->empty()) return Flushed{};
  Reader in(*row);
  Flushed result;
  result.tick = in.u64be();
  result.activity = in.bytes(in.remaining());
  if (in.failed()) return corrupt("flushed tick of shard " + std::to_string(shard) + " is cut short");
  return result;
}

Result<TickNo> RocksSnapshot::flushed_tick(ShardNo shard) {
  if (flushed_ticks_) return (*flushed_ticks_)[shard];
  return tick_of(flushed_key(shard));
}

Result<RollupPosition> RocksSnapshot::rollup_position() {
  const Result<std::string> row = get(database_->meta(), kRollupKey);
  if (!row) return row.error();
  if (row->empty()) return RollupPosition{};
  const std::optional<ChunkKey> key = parse_chunk_key(0, *row);
  if (!key) return corrupt("the rollup position is not 8 bytes long");
  return RollupPosition{key->chunk, key->id};
}

Result<std::optional<ClockRow>> RocksSnapshot::clock() {
  const Result<std::string> row = get(database_->meta(), kClockKey);
  if (!row) return row.error();
  if (row->empty()) return std::optional<ClockRow>();
  const auto clock = decode_clock_row(*row);
  if (!clock) return corrupt("row \"clock\" has " + std::to_string(row->size()) + " bytes");
  return clock;
}

Result<std::optional<WholeRow>> RocksSnapshot::whole() {
  const Result<std::string> row = get(database_->meta(), kWholeKey);
  if (!row) return row.error();
  if (row->empty()) return std::optional<WholeRow>();
  auto whole = decode_whole_row(*row);
  if (!whole) return whole.error();
  return std::optional(*std::move(whole));
}

Result<std::optional<HashSecret>> RocksSnapshot::hash_secret() {
  const Result<std::string> row = get(database_->meta(), kHashSecretKey);
  if (!row) return row.error();
  if (row->empty()) return std::optional<HashSecret>();
  HashSecret secret;
  if (row->size() != secret.size())
    return corrupt("row \"hash\" has " + std::to_string(row->size()) + " bytes");
  std::copy(row->begin(), row->end(), secret.begin());
  return std::optional(secret);
}

Result<AgentRows> RocksSnapshot::agents() {
  AgentRows agents;
  const std::unique_ptr<rocksdb::Iterator> row(
      database_->db().NewIterator(scan_options(snapshot_, nullptr), database_->meta()));
  const rocksdb::Slice prefix(kAgentPrefix.data(), kAgentPrefix.size());
  for (row->Seek(prefix); row->Valid() && row->key().starts_with(prefix); row->Next()) {
    const std::optional<AgentId> id = parse_agent_key(row->key().ToStringView());
    Result<AgentRow> decoded = id ? decode_agent_row(*id, row->value().ToStringView())
                                  : Result<AgentRow>(corrupt("an agent's key is not 21 bytes long"));
    if (decoded) {
      agents.rows.push_back(std::move(*decoded));
    } else {
      ++agents.damaged;
    }
  }
  if (!row->status().ok()) return error_of(row->status());
  const Result<std::string> forgotten = get(database_->meta(), kForgottenKey);
  if (!forgotten) return forgotten.error();
  if (forgotten->empty()) return agents;
  Reader in(*forgotten);
  agents.forgotten_until = Timestamp(Duration(static_cast<int64_t>(in.u64be())));
  if (in.failed()) return corrupt("row \"" + std::string(kForgottenKey) + "\" is cut short");
  return agents;
}

Result<FamilyRows> RocksSnapshot::families() {
  FamilyRows families;
  const std::unique_ptr<rocksdb::Iterator> row(
      database_->db().NewIterator(scan_options(snapshot_, nullptr), database_->meta()));
  const rocksdb::Slice prefix(kFamilyPrefix.data(), kFamilyPrefix.size());
  for (row->Seek(prefix); row->Valid() && row->key().starts_with(prefix); row->Next()) {
    std::optional<FamilyKey> key = parse_family_key(row->key().ToStringView());
    if (!key) return corrupt("a family's key has no kind or path");
    Result<FamilyRow> decoded = decode_family_row(*key, row->value().ToStringView());
    if (decoded) {
      families.rows.push_back(std::move(*decoded));
    } else {
      families.damaged.push_back(std::move(*key));
    }
  }
  if (!row->status().ok()) return error_of(row->status());
  return families;
}

Result<DocumentRows> RocksSnapshot::documents() {
  DocumentRows documents;
  const std::unique_ptr<rocksdb::Iterator> row(
      database_->db().NewIterator(scan_options(snapshot_, nullptr), database_->meta()));
  const rocksdb::Slice prefix(kDocumentPrefix.data(), kDocumentPrefix.size());
  for (row->Seek(prefix); row->Valid() && row->key().starts_with(prefix); row->Next()) {
    std::optional<DocumentKey> key = parse_document_key(row->key().ToStringView());
    if (!key) return corrupt("a document's key has no kind or id");
    Result<DocumentRow> decoded = decode_document_row(*key, row->value().ToStringView());
    if (decoded) {
      documents.rows.push_back(std::move(*decoded));
    } else {
      documents.damaged.push_back(std::move(*key));
    }
  }
  if (!row->status().ok()) return error_of(row->status());
  return documents;
}

Status RocksSnapshot::values(const std::function<Status(TickNo, std::string_view)>& visit) {
  const std::unique_ptr<rocksdb::Iterator> row(
      database_->db().NewIterator(scan_options(snapshot_, nullptr), database_->meta()));
  const rocksdb::Slice prefix(kValuesPrefix.data(), kValuesPrefix.size());
  for (row->Seek(prefix); row->Valid() && row->key().starts_with(prefix); row->Next()) {
    const std::optional<TickNo> tick = parse_value_row_key(row->key().ToStringView());
    if (!tick) return corrupt("the key of a value row has no tick");
    if (Status s = visit(*tick, row->value().ToStringView()); !s) return s;
  }
  return row->status().ok() ? Status::ok() : Status(error_of(row->status()));
}

Result<uint64_t> RocksSnapshot::exemplars(const ExemplarRange& range,
                                          const std::function<bool(const ExemplarRow&)>& visit) {
  uint64_t damaged = 0;
  if (database_->exemplars() == nullptr) return damaged;
  const std::string end = exemplar_key({range.id, range.end});
  const rocksdb::Slice upper(end);
  rocksdb::ReadOptions options = point_options(snapshot_);
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> row(database_->db().NewIterator(options, database_->exemplars()));
  // Compactions drop expired rows in their own time, perhaps never if no exemplars come any more.
  const Slot begin = std::max(range.begin, Slot{floor(0)} * tiers_.finest().chunk_slots);
  for (row->Seek(exemplar_key({range.id, begin})); row->Valid(); row->Next()) {
    const auto key = parse_exemplar_key(row->key().ToStringView());
    if (!key) return corrupt("the key of an exemplar is not 12 bytes long");
    const auto decoded = decode_exemplar_row(*key, row->value().ToStringView());
    if (!decoded) {
      ++damaged;
    } else if (!visit(*decoded)) {
      break;
    }
  }
  if (!row->status().ok()) return error_of(row->status());
  return damaged;
}

Result<std::string> RocksSnapshot::chunk(const ChunkKey& key) {
  SM_CHECK(key.tier < tiers_.stored_count());
  if (key.chunk < floor(key.tier)) return std::string();
  const ConcatenateOnly concatenate_only;
  return get(database_->tier(key.tier), chunk_key(key.chunk, key.id));
}

Status RocksSnapshot::chunks(TierNo tier, ChunkNo chunk, std::span<const SeriesId> ids,
                             const std::function<void(size_t, std::string_view)>& visit) {
  SM_CHECK(tier < tiers_.stored_count());
  if (chunk < floor(tier) || ids.empty()) return Status::ok();
  const ConcatenateOnly concatenate_only;
  const size_t rows = size_t{ids.back()} - ids.front() + 1;
  return rows <= kRowsPerWanted * ids.size() ? walk_chunks(tier, chunk, ids, visit)
                                             : get_chunks(tier, chunk, ids, visit);
}

// Finds each row by itself.
Status RocksSnapshot::get_chunks(TierNo tier, ChunkNo chunk, std::span<const SeriesId> ids,
                                 const VisitChunk& visit) {
  constexpr size_t kBatch = 64;  // values that are pinned in the block cache at the same time
  std::array<std::string, kBatch> keys;
  std::array<rocksdb::Slice, kBatch> slices;
  std::array<rocksdb::Status, kBatch> statuses;
  for (size_t begin = 0; begin < ids.size(); begin += kBatch) {
    const size_t count = std::min(kBatch, ids.size() - begin);
    std::array<rocksdb::PinnableSlice, kBatch> values;
    for (size_t i = 0; i < count; ++i) {
      keys[i] = chunk_key(chunk, ids[begin + i]);
      slices[i] = keys[i];
    }
    database_->db().MultiGet(point_options(snapshot_), database_->tier(tier), count, slices.data(),
                             values.data(), statuses.data(), /*sorted_input=*/true);
    for (size_t i = 0; i < count; ++i) {
      if (statuses[i].IsNotFound()) continue;
      if (!statuses[i].ok()) return error_of(statuses[i]);
      visit(begin + i, values[i].ToStringView());
    }
  }
  return Status::ok();
}

// Walks over all rows from the first to the last one.
Status RocksSnapshot::walk_chunks(TierNo tier, ChunkNo chunk, std::span<const SeriesId> ids,
                                  const VisitChunk& visit) {
  const std::string last = chunk_key(chunk, ids.back()) + '\0';
  const rocksdb::Slice upper(last);
  rocksdb::ReadOptions options = point_options(snapshot_);
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> row(database_->db().NewIterator(options, database_->tier(tier)));
  size_t i = 0;
  for (row->Seek(chunk_key(chunk, ids.front())); row->Valid(); row->Next()) {
    const std::optional<ChunkKey> key = parse_chunk_key(tier, row->key().ToStringView());
    if (!key) return corrupt("a chunk key is not 8 bytes long");
    while (ids[i] < key->id) ++i;  // the upper bound ends the walk at the last one
    if (ids[i] == key->id) visit(i, row->value().ToStringView());
  }
  return row->status().ok() ? Status::ok() : Status(error_of(row->status()));
}

Status RocksSnapshot::scan(TierNo tier, ChunkNo chunk, SeriesId first,
                           const std::function<bool(SeriesId, std::string_view frames)>& visit) {
  SM_CHECK(tier < tiers_.stored_count());
  if (chunk < floor(tier)) return Status::ok();
  const ConcatenateOnly concatenate_only;
  const std::string last = chunk_key(chunk, std::numeric_limits<SeriesId>::max()) + '\0';
  const rocksdb::Slice upper(last);
  const std::unique_ptr<rocksdb::Iterator> row(
      database_->db().NewIterator(scan_options(snapshot_, &upper), database_->tier(tier)));
  for (row->Seek(chunk_key(chunk, first)); row->Valid(); row->Next()) {
    const std::optional<ChunkKey> key = parse_chunk_key(tier, row->key().ToStringView());
    if (!key) return corrupt("a chunk key is not 8 bytes long");
    if (!visit(key->id, row->value().ToStringView())) return Status::ok();
  }
  return row->status().ok() ? Status::ok() : Status(error_of(row->status()));
}

Result<std::optional<ChunkNo>> RocksSnapshot::oldest_chunk(TierNo tier) {
  SM_CHECK(tier < tiers_.stored_count());
  if (database_->tier(tier) == nullptr) return std::optional<ChunkNo>();
  const std::unique_ptr<rocksdb::Iterator> row(
      database_->db().NewIterator(point_options(snapshot_), database_->tier(tier)));
  row->Seek(chunk_key(floor(tier), 0));
  if (!row->status().ok()) return error_of(row->status());
  if (!row->Valid()) return std::optional<ChunkNo>();
  const std::optional<ChunkKey> key = parse_chunk_key(tier, row->key().ToStringView());
  if (!key) return corrupt("a chunk key is not 8 bytes long");
  return std::optional<ChunkNo>(key->chunk);
}

Status RocksSnapshot::load(const LoadVisitor& visitor) {
  const Result<std::vector<TickNo>> flushed_ticks = load_shards(visitor);
  if (!flushed_ticks) return flushed_ticks.error();
  if (Status series = load_series(visitor); !series) return series;
  return load_journal(visitor, *flushed_ticks);
}

Status RocksSnapshot::load_series(const LoadVisitor& visitor) {
  const std::unique_ptr<rocksdb::Iterator> row(
      database_->db().NewIterator(scan_options(snapshot_, nullptr), database_->series()));
  for (row->SeekToFirst(); row->Valid(); row->Next()) {
    const std::optional<SeriesId> id = parse_series_key(row->key().ToStringView());
    const std::string_view value = row->value().ToStringView();
    const bool is_deleted = is_deleted_series(value);
    const std::optional<SeriesRow> series = id ? decode_series_row(*id, value) : std::nullopt;
    if (!id || (!is_deleted && !series)) return corrupt("an impossible series row");
    Status taken = is_deleted ? visitor.deleted(*id) : visitor.series(*series);
    if (!taken) return taken;
  }
  return row->status().ok() ? Status::ok() : Status(error_of(row->status()));
}

Result<std::vector<TickNo>> RocksSnapshot::load_shards(const LoadVisitor& visitor) {
  std::vector<TickNo> ticks;
  for (int shard = 0; shard < kShardCount; ++shard) {
    const Result<Flushed> row = flushed(static_cast<ShardNo>(shard));
    if (!row) return row.error();
    ticks.push_back(row->tick);
    if (Status taken = visitor.shard(static_cast<ShardNo>(shard), row->tick, row->activity); !taken)
      return taken.error();
  }
  return ticks;
}

// Seeks past the trimmed rows: stepping over a day's tombstones takes longer than everything else.
Status RocksSnapshot::load_journal(const LoadVisitor& visitor, const std::vector<TickNo>& flushed_ticks) {
  const Result<TickNo> trimmed = tick_of(kTrimKey);
  if (!trimmed) return trimmed.error();
  const TickNo lowest = *std::min_element(flushed_ticks.begin(), flushed_ticks.end());
  const TickNo first = std::max(*trimmed, lowest + 1);
  const std::unique_ptr<rocksdb::Iterator> row(
      database_->db().NewIterator(scan_options(snapshot_, nullptr), database_->journal()));
  for (row->Seek(journal_key(first)); row->Valid(); row->Next()) {
    const std::optional<TickNo> tick = parse_journal_key(row->key().ToStringView());
    if (!tick) return corrupt("a journal key is not 8 bytes long");
    if (Status s = visitor.journal(*tick, row->value().ToStringView()); !s) return s;
  }
  return row->status().ok() ? Status::ok() : Status(error_of(row->status()));
}

}  // namespace statmill
