#include "storage/rocks/rocks_database.h"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_partitioner.h>
#include <rocksdb/table.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

#include "base/bytes.h"
#include "base/text.h"
#include "storage/files/log_tail.h"
#include "storage/keys.h"
#include "storage/rocks/chunk_merge.h"
#include "storage/rocks/exemplar_rows.h"
#include "storage/rocks/log_checksum.h"
#include "storage/rocks/sync_stage.h"

namespace statmill {
namespace {

constexpr uint64_t kSmallWriteBuffer = uint64_t{4} << 20;
constexpr uint64_t kExemplarRewriteS = 86400;  // so long after they expired, exemplars take space at most
constexpr int kUnsortedFiles = 8;              // flushed files per tier that start a compaction
constexpr size_t kChunkKeyPrefix = 4;  // the chunk number: compacted files hold whole chunk numbers, so that
                                       // retention can delete files instead of rewriting them

// Replaces RocksDB's own log file, which lies next to the data: on a full disk a line that does not fit
// aborts the process (Debian builds RocksDB with assertions). Warnings and errors go to `warn`.
class WarningLog final : public rocksdb::Logger {
 public:
  explicit WarningLog(std::function<void(std::string_view)> warn)
      : Logger(rocksdb::InfoLogLevel::WARN_LEVEL), warn_(std::move(warn)) {}

  // Drops in the logs read so far. Written by the thread that opens the database.
  const LogDrops& drops() const { return drops_; }

  using Logger::Logv;  // leaves out levels below a warning, adds the level to the rest
  void Logv(const char* format, va_list arguments) override {
    std::array<char, 512> line{};
    std::vsnprintf(line.data(), line.size(), format, arguments);
    std::string_view text(line.data());
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    if (warn_) warn_(text);
    if (const auto bytes = dropped_bytes(text)) {
      ++drops_.places;
      drops_.bytes += *bytes;
    }
  }
  void LogHeader(const char*, va_list) override {}  // all options, at each start

 private:
  const std::function<void(std::string_view)> warn_;
  LogDrops drops_;
};

// After a full disk RocksDB would flush its memory and continue. It does not know whether a batch whose write
// failed is in its log, so the batch, tried again, could count twice after a crash. RocksStore recovers
// instead, by reopening the database.
class NoSelfRecovery final : public rocksdb::EventListener {
 public:
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status, bool* auto_recovery) override {
    *auto_recovery = false;
  }
};

// Makes the threads that compact give way to ingest and to queries, which wait for a processor much longer
// otherwise while all are busy. Compactions keep a fourteenth of what ingest gets, so they do not starve.
// Flushes keep their priority, because writes wait for them.
class NiceCompactions final : public rocksdb::EventListener {
 public:
  // RocksDB calls it on the thread that compacts. Those threads do nothing else.
  void OnCompactionBegin(rocksdb::DB*, const rocksdb::CompactionJobInfo&) override {
    constexpr int kNice = 12;  // small queries have 5, heavy ones 10 (server/http/query_pool.h)
    const auto thread = static_cast<id_t>(::gettid());
    if (::getpriority(PRIO_PROCESS, thread) >= kNice) return;
    static_cast<void>(::setpriority(PRIO_PROCESS, thread, kNice));  // anyone may lower a priority
  }
};

rocksdb::DBOptions database_options(const RocksOptions& options, rocksdb::Env& env) {
  rocksdb::DBOptions db;
  db.env = &env;
  db.listeners.push_back(std::make_shared<NoSelfRecovery>());
  db.listeners.push_back(std::make_shared<NiceCompactions>());
  db.max_bgerror_resume_count = 0;  // the same for errors that the file system says are retryable
  db.create_missing_column_families = true;
  // A crash can leave a torn end, which is cut off. Damage before it is a disk fault: refuse to open rather
  // than silently lose acknowledged data.
  db.wal_recovery_mode = options.salvage ? rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords
                                         : rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  db.track_and_verify_wals_in_manifest = !options.salvage;
  // The content of the log may never have been synced: it is written to synced files before anyone relies on
  // it.
  db.avoid_flush_during_recovery = false;
  db.max_total_wal_size = options.wal_bytes_max;
  db.max_open_files = options.open_files_max;
  db.max_background_jobs = 2;
  db.manifest_preallocation_size = size_t{64} << 10;  // not 4 MiB, which would remain after a crash
  db.bytes_per_sync = uint64_t{1} << 20;
  db.avoid_unnecessary_blocking_io = true;
  db.skip_stats_update_on_db_open = true;
  db.stats_dump_period_sec = 0;
  db.stats_persist_period_sec = 0;
  return db;
}

rocksdb::BlockBasedTableOptions table_options(const std::shared_ptr<rocksdb::Cache>& block_cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = block_cache;
  table.block_size = size_t{16} << 10;
  table.format_version = 5;
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  return table;
}

rocksdb::ColumnFamilyOptions family_options(const rocksdb::BlockBasedTableOptions& table,
                                            uint64_t write_buffer_bytes) {
  rocksdb::ColumnFamilyOptions family;
  family.write_buffer_size = write_buffer_bytes;
  family.max_write_buffer_number = 3;
  family.level_compaction_dynamic_level_bytes = true;
  family.compression = rocksdb::kLZ4Compression;
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return family;
}

// The rows of a batch have ascending ids after the first bytes of their keys, so that each insertion starts
// to search where the previous one ended.
std::shared_ptr<const rocksdb::SliceTransform> by_ascending_id(size_t first_bytes) {
  return std::shared_ptr<const rocksdb::SliceTransform>(rocksdb::NewFixedPrefixTransform(first_bytes));
}

rocksdb::ColumnFamilyOptions tier_options(rocksdb::BlockBasedTableOptions table, uint64_t write_buffer_bytes,
                                          std::shared_ptr<rocksdb::MergeOperator> merge,
                                          const rocksdb::CompactionFilter& filter) {
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.optimize_filters_for_memory = true;
  rocksdb::ColumnFamilyOptions family = family_options(table, write_buffer_bytes);
  family.compression = rocksdb::kNoCompression;  // chunks are already compressed
  family.merge_operator = std::move(merge);
  family.compaction_filter = &filter;
  // With a filter RocksDB would rewrite everything every 30 days; Reclaimer finds what is worth rewriting.
  family.periodic_compaction_seconds = 0;
  // Every compaction of the newest chunk rewrites all of it, and with a million series a chunk arrives in
  // about 70 files. One more file costs a reader one look into its filter.
  family.level0_file_num_compaction_trigger = kUnsortedFiles;
  family.memtable_insert_with_hint_prefix_extractor = by_ascending_id(kChunkKeyPrefix);
  family.sst_partitioner_factory = rocksdb::NewSstPartitionerFixedPrefixFactory(kChunkKeyPrefix);
  return family;
}

std::string tier_family(const Tier& tier) {
  return "tier_" + format_duration(std::chrono::seconds(tier.step_s));
}

// In the order of RocksDatabase's accessors.
std::vector<rocksdb::ColumnFamilyDescriptor> descriptors(const RocksOptions& options, const Tiers& tiers,
                                                         const RocksDatabase::Parts& parts) {
  const rocksdb::BlockBasedTableOptions table = table_options(parts.block_cache);
  const uint64_t quarter = std::max(kSmallWriteBuffer, options.write_buffer_bytes / 4);
  std::vector<rocksdb::ColumnFamilyDescriptor> out;
  // Many of the rows of last values are removed again before their buffer is flushed.
  out.emplace_back(rocksdb::kDefaultColumnFamilyName, family_options(table, quarter));
  rocksdb::ColumnFamilyOptions series = family_options(table, kSmallWriteBuffer);
  series.memtable_insert_with_hint_prefix_extractor = by_ascending_id(0);
  out.emplace_back("series", series);
  // Large, so that most rows are trimmed before their buffer is flushed; entries are already compact.
  rocksdb::ColumnFamilyOptions journal = family_options(table, options.write_buffer_bytes);
  journal.compression = rocksdb::kNoCompression;
  out.emplace_back("journal", journal);
  for (TierNo i = 0; i < tiers.stored_count(); ++i) {
    out.emplace_back(
        tier_family(tiers[i]),
        tier_options(table, i == 0 ? options.write_buffer_bytes : quarter,
                     std::make_shared<ChunkMerge>(i, tiers[i].chunk_slots, parts.counters->damaged_frames()),
                     *parts.filters[i]));
  }
  rocksdb::ColumnFamilyOptions exemplars = family_options(table, kSmallWriteBuffer);
  exemplars.merge_operator = std::make_shared<ExemplarMerge>();
  exemplars.compaction_filter = parts.exemplar_filter.get();
  exemplars.periodic_compaction_seconds = kExemplarRewriteS;
  out.emplace_back(kExemplarFamily, exemplars);
  return out;
}

// An older program has made the database without the detail tier or exemplars. Nothing is created in one that
// is only read, and no family of exemplars before the first write, so that the older program can still open
// it.
void leave_out_missing(const rocksdb::DBOptions& options, const std::string& path, const Tiers& tiers,
                       RocksAccess access, std::vector<rocksdb::ColumnFamilyDescriptor>& families) {
  std::vector<std::string> names;
  if (!rocksdb::DB::ListColumnFamilies(options, path, &names).ok()) return;
  const bool may_lack_detail = access == RocksAccess::kReadOnly && tiers.has_detail();
  const std::string detail = may_lack_detail ? tier_family(tiers.detail()) : std::string();
  std::erase_if(families, [&](const rocksdb::ColumnFamilyDescriptor& family) {
    const bool may_be_missing = family.name == kExemplarFamily || family.name == detail;
    return may_be_missing && std::find(names.begin(), names.end(), family.name) == names.end();
  });
}

bool ends_torn(const RocksOptions& options, const std::string& path) {
  rocksdb::FileSystem& disk = options.file_system ? *options.file_system : *rocksdb::FileSystem::Default();
  const auto end = inspect_newest_log(disk, path);
  return end && *end == LogEnd::kTorn;
}

StallState stall_state_of(rocksdb::DB& db) {
  uint64_t is_stopped = 0;
  uint64_t delayed_rate = 0;  // 0: writes are not delayed
  db.GetIntProperty(rocksdb::DB::Properties::kIsWriteStopped, &is_stopped);
  db.GetIntProperty(rocksdb::DB::Properties::kActualDelayedWriteRate, &delayed_rate);
  if (is_stopped != 0) return StallState::kStopped;
  return delayed_rate != 0 ? StallState::kSlowed : StallState::kNone;
}

bool is_locked_by_another(const std::string& message) {
  return message.find("While lock file") != std::string::npos ||
         message.find("lock hold by current process") != std::string::npos;
}

}  // namespace

Result<std::unique_ptr<RocksDatabase>> RocksDatabase::open(const std::string& path,
                                                           const RocksOptions& options, const Tiers& tiers,
                                                           RocksAccess access) {
  use_fast_log_checksum();
  Parts parts;
  parts.counters = options.counters ? options.counters : std::make_shared<StoreCounters>();
  parts.expiry = options.expiry ? options.expiry : std::make_shared<Expiry>();
  for (TierNo t = 0; t < tiers.stored_count(); ++t)
    parts.filters.push_back(std::make_unique<ExpiryFilter>(t, *parts.expiry, parts.counters->expired_rows()));
  parts.exemplar_filter = std::make_unique<ExemplarFilter>(*parts.expiry, tiers.finest().chunk_slots);
  parts.block_cache = rocksdb::NewLRUCache(options.block_cache_bytes);
  parts.env = rocksdb::NewCompositeEnv(
      with_sync_stage(options.file_system ? options.file_system : rocksdb::FileSystem::Default()));
  rocksdb::DBOptions db_options = database_options(options, *parts.env);
  db_options.create_if_missing = access == RocksAccess::kCreate;
  db_options.statistics = parts.counters->statistics();
  const auto stalls = std::make_shared<StallListener>(parts.counters);
  db_options.listeners.push_back(stalls);
  const auto log = std::make_shared<WarningLog>(options.warn);
  db_options.info_log = log;
  auto families = descriptors(options, tiers, parts);
  parts.exemplar_options = families.back().options;
  leave_out_missing(db_options, path, tiers, access, families);
  rocksdb::DB* db = nullptr;
  const auto try_open = [&] {
    return access == RocksAccess::kReadOnly
               ? rocksdb::DB::OpenForReadOnly(db_options, path, families, &parts.families, &db)
               : rocksdb::DB::Open(db_options, path, families, &parts.families, &db);
  };
  rocksdb::Status status = try_open();
  if (status.IsCorruption() && !options.salvage && ends_torn(options, path)) {
    if (options.warn) options.warn("left out the last batch, which a power cut has torn");
    db_options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
    status = try_open();
  }
  if (!status.ok()) return error_of(status);
  parts.log_drops = log->drops();
  parts.db.reset(db);
  rocksdb::ColumnFamilyHandle* exemplars = nullptr;
  if (parts.families.back()->GetName() == kExemplarFamily) {
    exemplars = parts.families.back();
    parts.families.pop_back();
  }
  stalls->note_opened(stall_state_of(*db));
  auto opened = std::make_unique<RocksDatabase>(std::move(parts));
  opened->exemplars_ = exemplars;
  if (Status s = opened->load_floors(tiers); !s) return s.error();
  opened->load_flushed_ticks();
  opened->look_for_exemplars();
  return opened;
}

Status RocksDatabase::add_missing_families() {
  if (exemplars() != nullptr) return Status::ok();
  rocksdb::ColumnFamilyHandle* added = nullptr;
  const rocksdb::Status status = db().CreateColumnFamily(parts_.exemplar_options, kExemplarFamily, &added);
  if (!status.ok()) {
    if (added != nullptr) db().DestroyColumnFamilyHandle(added);
    return error_of(status).with("add a column family");
  }
  exemplars_.store(added, std::memory_order_release);
  return Status::ok();
}

std::vector<rocksdb::ColumnFamilyHandle*> RocksDatabase::families() const {
  std::vector<rocksdb::ColumnFamilyHandle*> out = parts_.families;
  if (exemplars() != nullptr) out.push_back(exemplars());
  return out;
}

void RocksDatabase::look_for_exemplars() {
  if (exemplars() == nullptr) return;
  const std::unique_ptr<rocksdb::Iterator> row(db().NewIterator({}, exemplars()));
  row->SeekToFirst();
  if (row->Valid() || !row->status().ok()) note_exemplars();  // after an error there may be some
}

Status RocksDatabase::load_floors(const Tiers& tiers) {
  for (TierNo t = 0; t < tiers.stored_count(); ++t) {
    std::string row;
    const rocksdb::Status status = db().Get({}, meta(), expired_key(t), &row);
    if (status.IsNotFound()) continue;
    if (!status.ok()) return error_of(status);
    Reader in(row);
    const ChunkNo floor = in.u32be();
    const ChunkNo dropped = in.u32be();
    if (in.failed()) return Error{ErrorCode::kCorrupt, "the expired row of a tier is cut short"};
    expiry().set_floor(t, floor);
    expiry().set_dropped(t, dropped);
  }
  return Status::ok();
}

void RocksDatabase::load_flushed_ticks() {
  FlushedTicks::Ticks ticks{};
  bool is_damaged = false;
  for (size_t shard = 0; shard < ticks.size(); ++shard) {
    const Result<TickNo> tick = read_tick(*this, {}, flushed_key(static_cast<ShardNo>(shard)));
    is_damaged |= !tick;
    ticks[shard] = tick ? *tick : 0;
  }
  flushed_ticks_.emplace(ticks);
  // A write that never ends: snapshots read the rows, and find the damage.
  if (is_damaged) flushed_ticks_->begin_write();
}

RocksDatabase::~RocksDatabase() {
  for (rocksdb::ColumnFamilyHandle* family : families()) parts_.db->DestroyColumnFamilyHandle(family);
}

uint64_t RocksDatabase::file_bytes(rocksdb::ColumnFamilyHandle* family) {
  uint64_t bytes = 0;
  parts_.db->GetIntProperty(family, rocksdb::DB::Properties::kLiveSstFilesSize, &bytes);  // 0 if it fails
  return bytes;
}

uint64_t RocksDatabase::tier_bytes(TierNo tier) {
  rocksdb::ColumnFamilyHandle* const family = this->tier(tier);
  return family != nullptr ? file_bytes(family) : 0;
}

DatabaseBytes RocksDatabase::database_bytes() {
  using Properties = rocksdb::DB::Properties;
  DatabaseBytes out;
  uint64_t with_obsolete = 0;
  for (rocksdb::ColumnFamilyHandle* family : families()) {
    out.files += file_bytes(family);
    uint64_t bytes = 0;
    if (parts_.db->GetIntProperty(family, Properties::kTotalSstFilesSize, &bytes)) with_obsolete += bytes;
  }
  out.obsolete =
      with_obsolete > out.files ? with_obsolete - out.files : 0;  // they are read one after the other
  // Both stay 0 if they fail.
  parts_.db->GetAggregatedIntProperty(Properties::kEstimateLiveDataSize, &out.live);
  parts_.db->GetAggregatedIntProperty(Properties::kEstimatePendingCompactionBytes, &out.compaction_debt);
  // Not GetSortedWalFiles(), which also reads the first record of each: a tick of many samples.
  out.log = log_bytes(*parts_.env->GetFileSystem(), parts_.db->GetName());
  return out;
}

uint64_t RocksDatabase::memory_bytes() {
  uint64_t buffers = 0;
  uint64_t readers = 0;
  parts_.db->GetAggregatedIntProperty(rocksdb::DB::Properties::kSizeAllMemTables, &buffers);
  parts_.db->GetAggregatedIntProperty(rocksdb::DB::Properties::kEstimateTableReadersMem, &readers);
  return buffers + readers + parts_.block_cache->GetUsage();
}

Result<TickNo> read_tick(RocksDatabase& database, const rocksdb::ReadOptions& options, std::string_view key) {
  rocksdb::PinnableSlice row;  // not copied: the rows of shards have kilobytes after the tick
  const rocksdb::Status status =
      database.db().Get(options, database.meta(), rocksdb::Slice(key.data(), key.size()), &row);
  if (status.IsNotFound()) return TickNo{0};
  if (!status.ok()) return error_of(status);
  Reader in(row.ToStringView());
  const TickNo tick = in.u64be();
  if (in.failed()) return Error{ErrorCode::kCorrupt, "row \"" + visible_text(key) + "\" is cut short"};
  return tick;
}

Error error_of(const rocksdb::Status& status) {
  const std::string message = status.ToString();
  if (is_locked_by_another(message)) return {ErrorCode::kBusy, "in use by another process"};
  if (status.IsCorruption()) return {ErrorCode::kCorrupt, message};
  return {ErrorCode::kIo, message};
}

}  // namespace statmill
