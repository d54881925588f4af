#include "storage/rocks/rocks_store.h"

#include <rocksdb/perf_level.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/free_bytes.h"
#include "storage/files/data_directory.h"
#include "storage/files/disk_probe.h"
#include "storage/files/reserve_file.h"
#include "storage/keys.h"
#include "storage/rocks/database_checkpoint.h"
#include "storage/rocks/flush_and_compact.h"
#include "storage/rocks/rocks_batch.h"
#include "storage/rocks/rocks_database.h"
#include "storage/rocks/rocks_snapshot.h"
#include "storage/rocks/used_ids.h"

namespace statmill {
namespace {

// `database` is the path of the database.
std::filesystem::path reserve_of(const std::filesystem::path& database) {
  return database.parent_path() / kReserveFile;
}

Result<RocksStore::Opened> open_database(const std::string& path, const RocksOptions& options,
                                         const Tiers& tiers, RocksAccess access) {
  auto database = RocksDatabase::open(path, options, tiers, access);
  if (!database) return database.error();
  RocksStore::Opened opened{std::move(*database), 0, std::nullopt};
  const Result<TickNo> last_tick = RocksSnapshot(opened.database, tiers).last_tick();
  if (!last_tick) return last_tick.error();
  opened.last_tick = *last_tick;
  return opened;
}

// Makes the log survive a power cut before the server acknowledges its content to agents or builds on it.
// Opening a database for writing does that by itself.
Status sync_log(const std::filesystem::path& database) {
  std::error_code error;
  for (std::filesystem::directory_iterator i(database, error), end; !error && i != end; i.increment(error)) {
    if (i->path().extension() != ".log") continue;
    if (Status synced = sync_path(i->path()); !synced) return synced;
  }
  return error ? Status(Error{ErrorCode::kIo, "list " + database.string() + ": " + error.message()})
               : Status::ok();
}

// Opens the database read-only; `why` becomes the fault.
Result<RocksStore::Opened> open_readable(const std::string& path, const RocksOptions& options,
                                         const Tiers& tiers, Error why) {
  if (Status durable = sync_log(path); !durable) return durable.error();
  auto opened = open_database(path, options, tiers, RocksAccess::kReadOnly);
  if (opened) opened->fault = std::move(why).with("the disk accepts no writes");
  return opened;
}

// Opens the database; on a full disk after freeing the reserve; read-only if nothing can be written at all.
Result<RocksStore::Opened> open_as_it_can(const std::string& path, const RocksOptions& options,
                                          const Tiers& tiers) {
  auto opened = open_database(path, options, tiers, RocksAccess::kCreate);
  const auto is_disk_fault = [&opened] { return !opened && opened.error().code == ErrorCode::kIo; };
  if (is_disk_fault() && give_up_reserve(reserve_of(path))) {
    if (options.warn) options.warn("freed the disk reserve: " + opened.error().message);
    opened = open_database(path, options, tiers, RocksAccess::kReadWrite);
  }
  if (!is_disk_fault() || options.salvage) return opened;
  auto readable = open_readable(path, options, tiers, opened.error());
  return readable ? std::move(readable) : std::move(opened);
}

Error recovering() { return {ErrorCode::kUnavailable, "the store is recovering from a disk fault"}; }

constexpr uint32_t kWritesPerReserve = 256;  // looking at the disk so rarely costs nothing

// The snapshot of a store without an open database: every read fails.
class ClosedSnapshot final : public StoreSnapshot {
 public:
  Result<TickNo> last_tick() override { return recovering(); }
  Result<TickNo> flushed_tick(ShardNo) override { return recovering(); }
  Result<RollupPosition> rollup_position() override { return recovering(); }
  Result<std::optional<ClockRow>> clock() override { return recovering(); }
  Result<std::optional<WholeRow>> whole() override { return recovering(); }
  Result<std::optional<HashSecret>> hash_secret() override { return recovering(); }
  Result<AgentRows> agents() override { return recovering(); }
  Result<FamilyRows> families() override { return recovering(); }
  Result<DocumentRows> documents() override { return recovering(); }
  Status values(const std::function<Status(TickNo, std::string_view)>&) override { return recovering(); }
  Result<uint64_t> exemplars(const ExemplarRange&, const std::function<bool(const ExemplarRow&)>&) override {
    return recovering();
  }
  Result<std::string> chunk(const ChunkKey&) override { return recovering(); }
  Status chunks(TierNo, ChunkNo, std::span<const SeriesId>,
                const std::function<void(size_t, std::string_view)>&) override {
    return recovering();
  }
  Status scan(TierNo, ChunkNo, SeriesId, const std::function<bool(SeriesId, std::string_view)>&) override {
    return recovering();
  }
  ChunkNo floor(TierNo) override { return 0; }
  Result<std::optional<ChunkNo>> oldest_chunk(TierNo) override { return recovering(); }
};

}  // namespace

Result<std::unique_ptr<RocksStore>> RocksStore::open(const RocksOptions& options, const Tiers& tiers) {
  const std::string context = "data directory " + options.path;
  Result<std::string> path = prepare_data_directory(options.path, tiers);
  if (!path) return std::move(path.error()).with(context);
  RocksOptions mine = options;
  mine.expiry = std::make_shared<Expiry>();
  mine.counters = std::make_shared<StoreCounters>();
  auto opened = open_as_it_can(*path, mine, tiers);
  if (!opened) {
    Error error = opened.error();
    if (error.code == ErrorCode::kBusy) return Error{error.code, context + " is in use by another process"};
    return std::move(error).with(context);
  }
  mine.salvage = false;  // only for this start, not for later recoveries
  auto store = std::make_unique<RocksStore>(std::move(mine), tiers, std::move(*path), std::move(*opened));
  DatabaseCheckpoint::remove_leftovers(store->data_directory());
  if (!store->fault_) store->keep_reserve();
  return store;
}

RocksStore::RocksStore(RocksOptions options, const Tiers& tiers, std::string path, Opened opened)
    : options_(std::move(options)),
      tiers_(tiers),
      path_(std::move(path)),
      log_drops_(opened.database->log_drops()),
      reclaimer_(tiers_),
      last_tick_(opened.last_tick),
      tried_tick_(opened.last_tick),
      fault_(std::move(opened.fault)),
      database_(std::move(opened.database)) {}

uint64_t RocksStore::reserve_bytes() const { return statmill::reserve_bytes(reserve_of(path_)); }

void RocksStore::keep_reserve() {
  writes_to_reserve_ = kWritesPerReserve;
  const Status made = make_reserve(reserve_of(path_), options_.reserve_bytes);
  if (!std::exchange(misses_reserve_, !made) && !made && options_.warn) options_.warn(made.error().message);
}

Status RocksStore::write(const StoreBatch& batch) {
  if (batch.is_empty()) return Status::ok();
  if (Status whole = recover(); !whole) return whole;
  if (!is_format_raised_) {  // not at the start, which may fail while an older program uses the directory
    if (Status raised = raise_format(data_directory()); !raised) return fail(raised.error());
    is_format_raised_ = true;
  }
  const std::shared_ptr<RocksDatabase> database = this->database();
  if (Status added = database->add_missing_families(); !added) return fail(added.error());
  if (batch.tick != 0) {
    if (batch.tick == last_tick_) return Status::ok();  // its write failed, but the log has it
    SM_CHECK(batch.tick > last_tick_);
    tried_tick_ = batch.tick;
  }
  // Otherwise RocksDB counts each comparison of keys in a thread-local variable: a tenth of a write's time.
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  RocksBatch operations = rocks_batch_of(batch, *database, tiers_);
  if (!operations.status().ok()) return error_of(operations.status());
  rocksdb::WriteOptions options;
  options.sync = options_.sync;
  if (!batch.flushed.empty()) database->flushed_ticks().begin_write();
  const rocksdb::Status status = database->db().Write(options, &operations.batch());
  if (!status.ok()) return fail(error_of(status).with("write to the store"));
  if (!batch.flushed.empty()) database->flushed_ticks().end_write(batch.flushed);
  last_tick_ = tried_tick_;
  reopen_backoff_.record_success();
  if (--writes_to_reserve_ == 0) keep_reserve();
  return Status::ok();
}

std::unique_ptr<StoreSnapshot> RocksStore::snapshot() {
  std::shared_ptr<RocksDatabase> database = this->database();
  if (!database) return std::make_unique<ClosedSnapshot>();
  return std::make_unique<RocksSnapshot>(std::move(database), tiers_);
}

Status RocksStore::load(const LoadVisitor& visitor) {
  std::shared_ptr<RocksDatabase> database = this->database();
  if (!database) return Error{ErrorCode::kUnavailable, "no database is open"};
  return RocksSnapshot(std::move(database), tiers_).load(visitor);
}

Result<uint64_t> RocksStore::expire(TierNo tier, ChunkNo chunk) {
  SM_CHECK(tier < tiers_.stored_count());
  if (fault_) return *fault_;
  const ChunkNo before = expiry().floor(tier);
  if (chunk <= before) return uint64_t{0};
  const std::shared_ptr<RocksDatabase> database = this->database();
  const std::string first = chunk_key(before, 0);
  const std::string end = chunk_key(chunk, 0);
  const rocksdb::Range range(first, end);
  uint64_t bytes = 0;
  static_cast<void>(database->db().GetApproximateSizes({}, database->tier(tier), &range, 1,
                                                       &bytes));  // stays 0 on an error; only logged
  if (Status s = set_floor(tier, chunk); !s) return s.error();
  return bytes;
}

Status RocksStore::keep_from(TierNo tier, ChunkNo chunk) {
  SM_CHECK(tier < tiers_.stored_count());
  // The ticker calls this while it builds a batch, before any write: in a store that started with a fault
  // nothing else would recover it.
  if (Status whole = recover(); !whole) return whole;
  return chunk < expiry().floor(tier) ? set_floor(tier, chunk) : Status::ok();
}

// Not a range deletion: a compaction with nothing but tombstones left aborts the process if the disk fails
// meanwhile (Debian builds RocksDB 7.8 with assertions). Readers and compactions use the floor instead.
Status RocksStore::set_floor(TierNo tier, ChunkNo chunk) {
  const std::shared_ptr<RocksDatabase> database = this->database();
  std::string row;
  Writer out(row);
  out.u32be(chunk);
  out.u32be(std::max(chunk, expiry().dropped(tier)));
  rocksdb::WriteOptions options;
  options.sync = options_.sync;
  const rocksdb::Status status = database->db().Put(options, database->meta(), expired_key(tier), row);
  if (!status.ok()) return fail(error_of(status).with("set the floor of a tier"));
  expiry().set_floor(tier, chunk);
  return Status::ok();
}

Result<bool> RocksStore::reclaim(std::atomic<bool>& cancelled) {
  const std::shared_ptr<RocksDatabase> database = this->database();
  return database ? reclaimer_.step(*database, cancelled) : false;
}

// While no database is open the number does not matter: only snapshots of previous ones are older.
uint64_t RocksStore::moment() {
  const std::shared_ptr<RocksDatabase> database = this->database();
  return database ? database->db().GetLatestSequenceNumber() : 0;
}

bool RocksStore::has_snapshot_before(uint64_t moment) {
  std::shared_ptr<RocksDatabase> database;
  {
    MutexLock lock(mutex_);
    std::erase_if(previous_databases_, [](const auto& previous) { return previous.expired(); });
    if (!previous_databases_.empty()) return true;
    database = database_;
  }
  if (!database) return false;
  uint64_t oldest = 0;  // 0: there is none
  const bool is_known =
      database->db().GetIntProperty(rocksdb::DB::Properties::kOldestSnapshotSequence, &oldest);
  return !is_known || (oldest != 0 && oldest < moment);
}

// The database is open for one chunk number only, so that the store can recover between two.
Result<std::optional<TierChunk>> RocksStore::remove_used(std::vector<SeriesId>& ids, TierChunk from,
                                                         const std::atomic<bool>& cancelled) {
  const auto database = usable_database();
  if (!database) return database.error();
  for (; from.tier < tiers_.stored_count(); from = {static_cast<TierNo>(from.tier + 1), 0}) {
    auto next = remove_used_ids(**database, ids, from, cancelled);
    if (!next || *next) return next;
  }
  return std::optional<TierChunk>();
}

StallState RocksStore::stall_state() const { return options_.counters->stall_state(); }

StoreStats RocksStore::stats() {
  StoreStats stats;
  StoreCounters& counters = *options_.counters;
  stats.reopenings = reopenings_.load(std::memory_order_relaxed);
  stats.disk_free_bytes = free_bytes(data_directory());
  stats.damaged_frames = counters.damaged_frames().load(std::memory_order_relaxed);
  stats.expired_rows = counters.expired_rows().load(std::memory_order_relaxed);
  stats.written = counters.written();
  stats.cache = counters.cache_lookups();
  stats.stalls = counters.stalls();
  if (const std::shared_ptr<RocksDatabase> database = this->database()) {
    stats.database = database->database_bytes();
    stats.bytes_on_disk = stats.database.files + stats.database.log;
    stats.memory_bytes = database->memory_bytes();
    for (TierNo t = 0; t < tiers_.stored_count(); ++t) stats.tiers.push_back({t, database->tier_bytes(t)});
  }
  return stats;
}

Result<std::shared_ptr<RocksDatabase>> RocksStore::usable_database() const {
  if (std::shared_ptr<RocksDatabase> database = this->database()) return database;
  return recovering();
}

Result<ClassSizes> RocksStore::class_bytes(const ClassBytesRequest& request) const {
  const auto database = usable_database();
  if (!database) return database.error();
  return statmill::class_bytes(**database, request);
}

Status RocksStore::flush() {
  const auto database = usable_database();
  return database ? flush_buffers(**database) : Status(database.error());
}

Status RocksStore::compact(std::atomic<bool>& cancelled, LongJob& job) {
  const auto database = usable_database();
  return database ? compact_all(**database, cancelled, job) : Status(database.error());
}

Result<RocksStore::Files> RocksStore::files() {
  const auto database = usable_database();
  if (!database) return database.error();
  auto checkpoint = DatabaseCheckpoint::make(**database, data_directory());
  if (!checkpoint) return checkpoint.error();
  auto format = read_format(data_directory());  // now, because the first write raises it
  if (!format) return format.error();
  return Files{*std::move(checkpoint), *std::move(format)};
}

Result<ScrubReport> RocksStore::scrub(LongJob& job) {
  const auto database = usable_database();
  if (!database) return database.error();
  return statmill::scrub(**database, tiers_, job);
}

std::string RocksStore::data_directory() const { return std::filesystem::path(path_).parent_path().string(); }

std::shared_ptr<RocksDatabase> RocksStore::database() const {
  MutexLock lock(mutex_);
  return database_;
}

// The old database is closed here, or with the last snapshot of it.
void RocksStore::replace_database(std::shared_ptr<RocksDatabase> next) {
  {
    MutexLock lock(mutex_);
    database_.swap(next);
    if (next) previous_databases_.push_back(next);
  }
}

Error RocksStore::fail(Error why) {
  fault_ = std::move(why);
  return *fault_;
}

Status RocksStore::recover() {
  if (!fault_) return Status::ok();
  if (!reopen_backoff_.is_due()) return *fault_;
  rocksdb::FileSystem& disk = options_.file_system ? *options_.file_system : *rocksdb::FileSystem::Default();
  if (Status probed = probe_disk(disk, path_); !probed) return fail(probed.error());
  reopen_backoff_.record_attempt();
  return reopen();
}

Status RocksStore::reopen() {
  replace_database(nullptr);
  auto opened = open_database(path_, options_, tiers_, RocksAccess::kReadWrite);
  if (opened && opened->last_tick != last_tick_ && opened->last_tick != tried_tick_) {
    // The disk has lost synced data, or another process has written.
    opened =
        Error{ErrorCode::kCorrupt, "it ends at tick " + std::to_string(opened->last_tick) + ", but tick " +
                                       std::to_string(last_tick_) + " was the last written"};
  }
  if (!opened) {
    if (opened.error().code == ErrorCode::kBusy) {
      opened = Error{ErrorCode::kBusy, "unfinished reads or another process still hold it"};
    }
    auto readable = RocksDatabase::open(path_, options_, tiers_, RocksAccess::kReadOnly);
    if (readable) replace_database(std::move(*readable));
    return fail(std::move(opened.error()).with("reopen the store"));
  }
  last_tick_ = tried_tick_ = opened->last_tick;
  writes_to_reserve_ = kWritesPerReserve;
  replace_database(std::move(opened->database));
  reopenings_.fetch_add(1, std::memory_order_relaxed);
  fault_.reset();
  return Status::ok();
}

}  // namespace statmill
