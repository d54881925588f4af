// RocksStore: the Store in an embedded RocksDB (storage/FORMAT.md).
//
// After a failed write it is unknown what RocksDB's log contains: the batch, a torn part of it, or nothing.
// So that database is never written again. The next writes probe the disk; once it accepts files again, the
// database is closed and reopened, which reads the log, makes durable what it found, and starts another log.
// The newest tick in the reopened store says whether it contains the failed batch. Until then the old
// database stays open for reads. This is called recovery here.
//
// A database that cannot be opened for writing, because the disk is full or read-only, is opened for reading:
// the store then starts as if a write had failed, and recovers in the same way. On a full disk the start
// first frees the reserve (reserve_file.h), which is created again when there is space.
//
// Do not fork after opening one: RocksDB's threads do not exist in the child.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "storage/files/files.h"
#include "storage/rocks/class_bytes.h"
#include "storage/rocks/database_checkpoint.h"
#include "storage/rocks/log_drops.h"
#include "storage/rocks/reclaimer.h"
#include "storage/rocks/retry_backoff.h"
#include "storage/rocks/rocks_options.h"
#include "storage/rocks/scrub.h"
#include "storage/store.h"

namespace statmill {

class RocksDatabase;

// Thread-safe, but write(), expire() and keep_from() must be called on one thread.
class RocksStore final : public Store {
 public:
  // Errors: kBusy (another process has it open), kInvalid (not ours, other steps), kVersion, kCorrupt, kIo
  // (it cannot even be read, or what was read is not durable). A directory that is refused is not changed.
  static Result<std::unique_ptr<RocksStore>> open(const RocksOptions& options, const Tiers& tiers);

  struct Opened {
    std::shared_ptr<RocksDatabase> database;
    TickNo last_tick = 0;
    std::optional<Error> fault;  // why it is read-only; nullopt if it can be written
  };
  // `path` is that of the database in `opened`.
  RocksStore(RocksOptions options, const Tiers& tiers, std::string path, Opened opened);

  const Tiers& tiers() const override { return tiers_; }
  Status write(const StoreBatch& batch) override;
  std::unique_ptr<StoreSnapshot> snapshot() override;
  Status load(const LoadVisitor& visitor) override;
  Result<uint64_t> expire(TierNo tier, ChunkNo chunk) override;
  Status keep_from(TierNo tier, ChunkNo chunk) override;
  Expiry& expiry() override { return *options_.expiry; }
  Result<bool> reclaim(std::atomic<bool>& cancelled) override;
  uint64_t moment() override;
  bool has_snapshot_before(uint64_t moment) override;
  Result<std::optional<TierChunk>> remove_used(std::vector<SeriesId>& ids, TierChunk from,
                                               const std::atomic<bool>& cancelled) override;
  StoreStats stats() override;

  // Why nothing can be written at present. Call it on the thread that writes.
  const std::optional<Error>& fault() const { return fault_; }
  // Disk space currently kept for a start on a full disk. Thread-safe.
  uint64_t reserve_bytes() const;
  // Which writes the database slows or stops at present. Thread-safe; it never waits, unlike stats().
  StallState stall_state() const;
  // The parts of the log that a salvaging open() left out.
  const LogDrops& log_drops() const { return log_drops_; }

  // About how many bytes each class has in these chunks (class_bytes.h). It waits for the disk, for at most
  // about 2 * rows_max rows. Thread-safe. Errors: kUnavailable while the store recovers, kIo, kCorrupt.
  Result<ClassSizes> class_bytes(const ClassBytesRequest& request) const;

  // The following are for administrators; call them on any one thread at a time. Errors of all: kUnavailable
  // if cancelled or while the store recovers, kIo, kCorrupt.

  // Writes RocksDB's memory to files (flush_and_compact.h).
  Status flush();
  // Flushes, then merges every file to the bottom, so that the data directory has its final size.
  Status compact(std::atomic<bool>& cancelled, LongJob& job);
  // The files of the store at one moment, with at least everything that was durable then. They exist as long
  // as the object, and at most one may. The store can recover meanwhile.
  struct Files {
    DatabaseCheckpoint checkpoint;
    std::string format;  // content of the file FORMAT
  };
  Result<Files> files();
  // Checks everything (scrub.h), as of now. The store cannot recover meanwhile: cancel it if there is a
  // fault.
  Result<ScrubReport> scrub(LongJob& job);
  std::string data_directory() const;

 private:
  std::shared_ptr<RocksDatabase> database() const;  // null if none could be opened
  Result<std::shared_ptr<RocksDatabase>> usable_database() const;
  void replace_database(std::shared_ptr<RocksDatabase> next);
  Error fail(Error why);
  Status recover();
  Status set_floor(TierNo tier, ChunkNo chunk);
  Status reopen();
  void keep_reserve();

  const RocksOptions options_;
  const Tiers tiers_;
  const std::string path_;
  const LogDrops log_drops_;

  Reclaimer reclaimer_;  // used by reclaim() only

  // Used on the thread that writes.
  TickNo last_tick_;            // the newest that is in the store
  TickNo tried_tick_;           // the same, or that of the failed write, which may be in the log
  std::optional<Error> fault_;  // why the database must not be written
  RetryBackoff reopen_backoff_;
  uint32_t writes_to_reserve_ = 0;  // successful writes until the reserve is checked again
  bool misses_reserve_ = false;
  bool is_format_raised_ = false;

  mutable Mutex mutex_;
  std::shared_ptr<RocksDatabase> database_ GUARDED_BY(mutex_);
  // Each lives as long as a snapshot of it.
  std::vector<std::weak_ptr<RocksDatabase>> previous_databases_ GUARDED_BY(mutex_);
  // Written by the writing thread, read by stats(); relaxed, since it is independent of other data.
  std::atomic<uint64_t> reopenings_{0};
};

}  // namespace statmill
