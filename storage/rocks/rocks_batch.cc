#include "storage/rocks/rocks_batch.h"

#include <rocksdb/iterator.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "storage/keys.h"
#include "storage/rocks/exemplar_rows.h"
#include "storage/value_row.h"

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

std::string forgotten_row(Timestamp until) {
  std::string row;
  Writer(row).u64be(static_cast<uint64_t>(until.time_since_epoch().count()));
  return row;
}

void add_agents(RocksBatch& operations, const RocksDatabase& database, const StoreBatch& batch) {
  rocksdb::WriteBatch& out = operations.batch();
  for (const AgentRow& row : batch.agents)
    operations.add(out.Put(database.meta(), agent_key(row.id), encode_agent_row(row)));
  for (const AgentId& id : batch.forgotten_agents) operations.add(out.Delete(database.meta(), agent_key(id)));
  if (batch.forgotten_until)
    operations.add(out.Put(database.meta(), slice(kForgottenKey), forgotten_row(*batch.forgotten_until)));
}

void add_families(RocksBatch& operations, const RocksDatabase& database, const StoreBatch& batch) {
  rocksdb::WriteBatch& out = operations.batch();
  for (const FamilyRow& row : batch.families)
    operations.add(out.Put(database.meta(), family_key(row.key), encode_family_row(row)));
  for (const FamilyKey& key : batch.removed_families)
    operations.add(out.Delete(database.meta(), family_key(key)));
}

void add_documents(RocksBatch& operations, const RocksDatabase& database, const StoreBatch& batch) {
  rocksdb::WriteBatch& out = operations.batch();
  for (const DocumentRow& row : batch.documents)
    operations.add(out.Put(database.meta(), document_key(row.key), encode_document_row(row)));
  for (const DocumentKey& key : batch.removed_documents)
    operations.add(out.Delete(database.meta(), document_key(key)));
}

// The ranges that are removed do not overlap, for the same reason as those of the journal. Rows of no tick
// remain in the family, so no compaction has an empty output.
void add_values(RocksBatch& operations, const RocksDatabase& database, const StoreBatch& batch) {
  rocksdb::WriteBatch& out = operations.batch();
  for (const StoreBatch::Row& row : batch.values)
    operations.add(out.Put(database.meta(), value_row_key(row.tick), row.bytes));
  if (batch.values_trim) {
    operations.add(out.DeleteRange(database.meta(), value_row_key(batch.values_trim->begin),
                                   value_row_key(batch.values_trim->end)));
  }
}

// Returns those of the ranges to remove in which the store or the batch has an exemplar: most series have
// none, and tombstones make reading slower. Cost: a seek for each range, or for each series with exemplars if
// these are fewer.
std::vector<ExemplarRange> ranges_with_exemplars(RocksDatabase& database, const StoreBatch& batch) {
  std::vector<ExemplarRange> ranges = batch.removed_exemplars;
  if (ranges.empty() || !database.has_exemplars()) return {};
  std::ranges::sort(ranges, {}, [](const ExemplarRange& range) {
    return ExemplarKey{range.id, range.begin};
  });
  std::set<ExemplarKey> added;
  for (const ExemplarRow& row : batch.exemplars) added.insert(row.key);
  const std::unique_ptr<rocksdb::Iterator> stored(database.db().NewIterator({}, database.exemplars()));
  bool is_placed = false;  // at the first key from the begin of the range before on
  std::erase_if(ranges, [&](const ExemplarRange& range) {
    const auto of_batch = added.lower_bound({range.id, range.begin});
    if (of_batch != added.end() && *of_batch < ExemplarKey{range.id, range.end}) return false;
    const std::string begin = exemplar_key({range.id, range.begin});
    if (!is_placed || (stored->Valid() && stored->key().ToStringView() < begin)) stored->Seek(begin);
    is_placed = true;
    if (!stored->status().ok()) return false;  // there may be some
    return !stored->Valid() || stored->key().ToStringView() >= exemplar_key({range.id, range.end});
  });
  return ranges;
}

void add_exemplars(RocksBatch& operations, RocksDatabase& database, const StoreBatch& batch) {
  rocksdb::WriteBatch& out = operations.batch();
  rocksdb::ColumnFamilyHandle* const family = database.exemplars();
  if (!batch.exemplars.empty()) {
    operations.add(out.Put(family, slice(kExemplarGuardKey), rocksdb::Slice()));
    database.note_exemplars();
  }
  for (const ExemplarRow& row : batch.exemplars)
    operations.add(out.Merge(family, exemplar_key(row.key), encode_exemplar_row(row)));
  for (const ExemplarRange& range : ranges_with_exemplars(database, batch))
    operations.add(
        out.DeleteRange(family, exemplar_key({range.id, range.begin}), exemplar_key({range.id, range.end})));
}

void add_meta(RocksBatch& operations, const RocksDatabase& database, const StoreBatch& batch) {
  rocksdb::WriteBatch& out = operations.batch();
  if (batch.tick != 0) operations.add(out.Put(database.meta(), slice(kTickKey), tick_row(batch.tick)));
  for (const StoreBatch::Flushed& flushed : batch.flushed) {
    operations.add(
        out.Put(database.meta(), flushed_key(flushed.shard), tick_row(flushed.tick, flushed.activity)));
  }
  if (batch.rollup_position) {
    const std::string position = chunk_key(batch.rollup_position->chunk, batch.rollup_position->id);
    operations.add(out.Put(database.meta(), slice(kRollupKey), position));
  }
  if (batch.clock) operations.add(out.Put(database.meta(), slice(kClockKey), encode_clock_row(*batch.clock)));
  if (batch.whole) operations.add(out.Put(database.meta(), slice(kWholeKey), encode_whole_row(*batch.whole)));
  if (batch.hash_secret) {
    const std::string_view secret(reinterpret_cast<const char*>(batch.hash_secret->data()),
                                  batch.hash_secret->size());
    operations.add(out.Put(database.meta(), slice(kHashSecretKey), slice(secret)));
  }
  if (batch.journal_trim) {
    const StoreBatch::Trim& trim = *batch.journal_trim;
    operations.add(out.Put(database.meta(), slice(kTrimKey), tick_row(trim.end)));
    // The ranges do not overlap: RocksDB cuts overlapping tombstones into pieces that each list all
    // tombstones that cover them, which is quadratic in time and memory. A start reads from kTrimKey on,
    // after all of them.
    operations.add(out.DeleteRange(database.journal(), journal_key(trim.begin), journal_key(trim.end)));
    // One row always remains: Debian's RocksDB (built with assertions) aborts if a compaction fails whose
    // output would be empty, for example on a full disk.
    operations.add(out.Put(database.journal(), journal_key(0), rocksdb::Slice()));
  }
}

}  // namespace

RocksBatch rocks_batch_of(const StoreBatch& batch, RocksDatabase& database, const Tiers& tiers) {
  RocksBatch operations;
  rocksdb::WriteBatch& out = operations.batch();
  for (const SeriesRow& series : batch.series) {
    operations.add(out.Put(database.series(), series_key(series.id), encode_series_row(series)));
  }
  for (const SeriesId id : batch.deleted) {
    operations.add(out.Put(database.series(), series_key(id), encode_deleted_series()));
  }
  for (const StoreBatch::Row& row : batch.journal) {
    operations.add(out.Put(database.journal(), journal_key(row.tick), row.bytes));
  }
  for (const StoreBatch::Fragment& fragment : batch.fragments) {
    SM_CHECK(fragment.key.tier < tiers.stored_count());
    operations.add(out.Merge(database.tier(fragment.key.tier), chunk_key(fragment.key.chunk, fragment.key.id),
                             fragment.frames));
  }
  add_agents(operations, database, batch);
  add_families(operations, database, batch);
  add_documents(operations, database, batch);
  add_exemplars(operations, database, batch);
  add_values(operations, database, batch);
  add_meta(operations, database, batch);
  return operations;
}

}  // namespace statmill
