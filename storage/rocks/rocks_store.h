// RocksStore: the Store kept in an embedded RocksDB (storage/FORMAT.md).
//
// When a write fails nobody knows what is in RocksDB's log: the batch, a torn part of it, or nothing. So that
// database is never written again. The next writes probe the disk; once it takes files again the database is
// closed and opened anew, which reads the log, makes durable what it found, and starts another log. The tick
// that the store then has says whether the failed batch is in. Until then the old database stays open for
// reads.
//
// A database that cannot be opened for writing, because the disk is full or read-only, is opened for reading:
// then the store begins as one whose write has failed, and mends in the same way. On a full disk the start
// first gives up the reserve (reserve_file.h); it is made again when there is room.
//
// Do not fork after opening one: RocksDB's threads do not exist in the child.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "storage/files/backup.h"
#include "storage/files/files.h"
#include "storage/rocks/log_drops.h"
#include "storage/rocks/reclaimer.h"
#include "storage/rocks/retry_pace.h"
#include "storage/rocks/rocks_options.h"
#include "storage/rocks/scrub.h"
#include "storage/store.h"

namespace statmill {

class RocksDatabase;

// Thread-safe; write(), expire() and keep_from() belong to one thread.
class RocksStore final : public Store {
 public:
  // Errors: kBusy (another process has it open), kInvalid (not ours, other steps), kVersion, kCorrupt, kIo
  // (it cannot even be read, or what was read is not durable). Refused directories are left as they were.
  static Result<std::unique_ptr<RocksStore>> open(const RocksOptions& options, const Tiers& tiers);

  struct Opened {
    std::shared_ptr<RocksDatabase> database;
    TickNo last_tick = 0;
    std::optional<Error> fault;  // why it can only be read; none: it can be written
  };
  // `path`: of the database that `opened` is.
  RocksStore(RocksOptions options, const Tiers& tiers, std::string path, Opened opened);

  const Tiers& tiers() const override { return tiers_; }
  Status write(const StoreBatch& batch) override;
  std::unique_ptr<StoreSnapshot> snapshot() override;
  Status load(const LoadVisitor& visitor) override;
  Result<uint64_t> expire(TierNo tier, ChunkNo chunk) override;
  Status keep_from(TierNo tier, ChunkNo chunk) override;
  Expiry& expiry() override { return *options_.expiry; }
  Result<bool> reclaim(std::atomic<bool>& cancelled) override;
  StoreStats stats() override;

  // Why nothing can be written at present. To be asked by the thread that writes.
  const std::optional<Error>& fault() const { return fault_; }
  // Of the disk, kept now for a start when it is full. Thread-safe.
  uint64_t reserve_bytes() const;
  // What a salvaging open left out of the log.
  const LogDrops& log_drops() const { return log_drops_; }

  // What only an administrator asks for, from any one thread. Errors of all: kUnavailable when cancelled and
  // while the store mends itself, kIo, kCorrupt.

  // Puts what RocksDB has in memory into files (settle.h).
  Status flush();
  // And then merges every file to the bottom, so that the data directory has its settled size.
  Status compact(std::atomic<bool>& cancelled);
  // Makes a backup (backup.h) of everything that is durable when it is called, and perhaps more. Errors also:
  // kInvalid, as write_backup().
  Result<BackupSummary> backup(const std::string& directory, const Cancelled& cancelled);
  // Reads everything (scrub.h), as of now. It may keep the store from mending itself: have it end when the
  // store is in need.
  Result<ScrubReport> scrub(const Cancelled& cancelled);
  std::string data_directory() const;

 private:
  std::shared_ptr<RocksDatabase> database() const;  // null: none could be opened
  Result<std::shared_ptr<RocksDatabase>> usable_database() const;
  void replace_database(std::shared_ptr<RocksDatabase> next);
  Error break_down(Error why);
  Status mend();
  Status set_floor(TierNo tier, ChunkNo chunk);
  Status reopen();
  void keep_reserve();

  const RocksOptions options_;
  const Tiers tiers_;
  const std::string path_;
  const LogDrops log_drops_;

  Reclaimer reclaimer_;  // reclaim()'s

  // Of the thread that writes.
  TickNo last_tick_;            // the newest that is in the store
  TickNo tried_tick_;           // the same, or the one whose write failed: it may be in the log
  std::optional<Error> fault_;  // why the database is not to be written
  RetryPace reopening_pace_;
  uint32_t writes_to_reserve_ = 0;  // good writes until it is looked for again
  bool misses_reserve_ = false;

  mutable Mutex mutex_;
  std::shared_ptr<RocksDatabase> database_ GUARDED_BY(mutex_);
  // Written by that thread, read by stats(); relaxed: each stands for itself.
  std::atomic<uint64_t> reopenings_{0};
  std::atomic<uint64_t> damaged_frames_{0};  // seen by databases that are closed
};

}  // namespace statmill
