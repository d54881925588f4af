#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "storage/rocks/retry_backoff.h"
#include "storage/rocks/rocks_store.h"
#include "tests/fault/fault_file_system.h"
#include "tests/storage/buckets.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

constexpr ChunkKey kKey{0, 3, 9};

class RocksRecovery : public testing::Test {
 protected:
  RocksRecovery() {
    std::filesystem::create_directory(directory_.path() / "scratch");
    disk_ = std::make_shared<FaultyDisk>(directory_.path() / "scratch");
    open();
  }

  void open() {
    store_.reset();
    RocksOptions options;
    options.path = directory_.path() / "data";
    options.file_system = std::make_shared<FaultFileSystem>(disk_);
    options.warn = [this](std::string_view what) {
      MutexLock lock(mutex_);
      warnings_ += std::string(what) + "\n";
    };
    auto opened = RocksStore::open(options, tiers_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }
  // Adds one sample to the chunk, so that a batch that is applied twice shows.
  Status write(TickNo tick) {
    const Slot first = Slot{kKey.chunk} * tiers_[0].chunk_slots;
    const SlotBucket bucket{first, Bucket::of(Number::decimal(1, 0))};
    StoreBatch batch;
    batch.tick = tick;
    batch.fragments.push_back({kKey, encode_buckets(kKey, first, Combine::kMerge, {&bucket, 1})});
    return store_->write(batch);
  }
  // Writes until it succeeds; returns how often it failed, at most 30 times.
  int failures_until_written(TickNo tick) {
    int failures = 0;
    while (failures < 30 && !write(tick)) ++failures;
    return failures;
  }
  void lose_power() {
    disk_->cut_power();
    store_.reset();
    disk_->restore_power(random_);
    open();
  }
  Result<uint64_t> count_in(StoreSnapshot& snapshot) {
    const Slot first = Slot{kKey.chunk} * tiers_[0].chunk_slots;
    const auto frames = snapshot.chunk(kKey);
    if (!frames) return frames.error();
    const DecodedChunk chunk = decode_chunk(kKey, first, tiers_[0].chunk_slots, *frames);
    return chunk.buckets.empty() ? uint64_t{0} : static_cast<uint64_t>(chunk.buckets[0].bucket.count());
  }
  uint64_t count() { return count_in(*store_->snapshot()).value(); }

  const Tiers tiers_ = *Tiers::parse("10s:1d,5m:1y");
  TempDirectory directory_;
  std::shared_ptr<FaultyDisk> disk_;
  Mutex mutex_;
  std::string warnings_ GUARDED_BY(mutex_);
  std::unique_ptr<RocksStore> store_;
  std::mt19937_64 random_{1};
};

TEST_F(RocksRecovery, ABatchWhoseSyncFailedIsInTheLogAndAppliedOnce) {
  ASSERT_TRUE(write(1));
  disk_->fail({DiskOp::kSync});
  ASSERT_FALSE(write(2));
  EXPECT_EQ(count(), 1U) << "not visible before its write succeeds";
  const uint64_t log_bytes = store_->stats().written.log;
  ASSERT_TRUE(write(2));
  EXPECT_EQ(count(), 2U);
  EXPECT_EQ(store_->stats().reopenings, 1U);
  EXPECT_GE(store_->stats().written.log, log_bytes) << "the next database goes on counting";
  EXPECT_GT(store_->stats().written.compaction, 0U) << "the file of what the log had";
  open();
  EXPECT_EQ(count(), 2U);
}

TEST_F(RocksRecovery, ABatchFoundInTheLogIsDurableOnceItsWriteSucceeds) {
  ASSERT_TRUE(write(1));
  disk_->fail({DiskOp::kSync});
  ASSERT_FALSE(write(2));
  ASSERT_TRUE(write(2));
  lose_power();
  EXPECT_EQ(count(), 2U);
}

TEST_F(RocksRecovery, ABatchTornInTheLogIsDroppedAndAppliedOnce) {
  ASSERT_TRUE(write(1));
  disk_->fail({DiskOp::kAppend, 1, false, ENOSPC});
  ASSERT_FALSE(write(2));
  ASSERT_TRUE(write(2));
  EXPECT_EQ(count(), 2U);
  open();
  EXPECT_EQ(count(), 2U);
}

TEST_F(RocksRecovery, AfterAFailedSyncNothingIsAcknowledgedOnThatFile) {
  ASSERT_TRUE(write(1));
  disk_->fail({DiskOp::kSync});
  ASSERT_FALSE(write(2));
  ASSERT_TRUE(write(2));
  ASSERT_TRUE(write(3));
  lose_power();
  EXPECT_EQ(count(), 3U);
}

TEST_F(RocksRecovery, AnEarlierSnapshotStaysWholeAndDelaysRecovery) {
  ASSERT_TRUE(write(1));
  auto snapshot = store_->snapshot();
  disk_->fail({DiskOp::kSync});
  ASSERT_FALSE(write(2));
  const Status held = write(2);
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().code, ErrorCode::kBusy) << held.error().message;
  EXPECT_EQ(count_in(*snapshot).value(), 1U);
  EXPECT_EQ(count(), 2U) << "meanwhile others read what is on disk";
  snapshot.reset();
  EXPECT_LT(failures_until_written(2), 5);
  EXPECT_EQ(count(), 2U);
}

TEST_F(RocksRecovery, WhileTheDiskIsFullTheDatabaseStaysOpenForReads) {
  ASSERT_TRUE(write(1));
  disk_->limit_space(0);
  ASSERT_FALSE(write(2));
  EXPECT_EQ(count(), 1U);
  const uint64_t opened = disk_->calls(DiskOp::kOpen);
  for (int i = 0; i < 50; ++i) ASSERT_FALSE(write(2));
  EXPECT_EQ(count(), 1U);
  EXPECT_EQ(disk_->calls(DiskOp::kOpen), opened) << "it was reopened";
  disk_->heal();
  EXPECT_EQ(failures_until_written(2), 0) << "the first write afterwards succeeds";
  EXPECT_EQ(count(), 2U);
}

// There is space for the probe, but not for RocksDB.
TEST_F(RocksRecovery, IfItCannotBeOpenedForWritingItIsOpenedForReading) {
  ASSERT_TRUE(write(1));
  disk_->fail({DiskOp::kSync});
  ASSERT_FALSE(write(2));
  disk_->fail({DiskOp::kRename, 1, true});
  for (int i = 0; i < 50; ++i) {
    ASSERT_FALSE(write(2));
    ASSERT_EQ(count(), 2U) << "in the log after all, and durable or not, it is what recovery would find";
  }
  disk_->heal();
  EXPECT_LE(failures_until_written(2), static_cast<int>(RetryBackoff::kPauseMax));
  EXPECT_EQ(count(), 2U);
}

TEST_F(RocksRecovery, IfItCannotBeOpenedAtAllReadsReturnUnavailable) {
  ASSERT_TRUE(write(1));
  disk_->fail({DiskOp::kSync});
  ASSERT_FALSE(write(2));
  disk_->fail({DiskOp::kRead, 1, true});
  ASSERT_FALSE(write(2));
  const auto read = count_in(*store_->snapshot());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(store_->load({}));
  EXPECT_FALSE(store_->expire(0, 1));
  EXPECT_EQ(store_->stats().bytes_on_disk, 0U);
  disk_->heal();
  EXPECT_LE(failures_until_written(2), static_cast<int>(RetryBackoff::kPauseMax));
  EXPECT_EQ(count(), 2U);
}

TEST_F(RocksRecovery, TheNextWriteRecoversFromAFailedExpiry) {
  ASSERT_TRUE(write(1));
  disk_->fail({DiskOp::kSync});
  ASSERT_FALSE(store_->expire(0, 10));
  ASSERT_FALSE(store_->expire(0, 10)) << "not before";
  ASSERT_TRUE(write(2));
  ASSERT_TRUE(store_->expire(0, 11));
  EXPECT_EQ(count(), 0U);
}

// Reads are correct or return kUnavailable; the database stays open while they use it.
// A tick lowers the floor while it builds a batch, before it writes anything.
TEST_F(RocksRecovery, AStoreThatStartedReadOnlyRecoversIfTheFloorIsLoweredFirst) {
  ASSERT_TRUE(write(1));
  ASSERT_TRUE(store_->expire(kKey.tier, kKey.chunk + 5));
  disk_->make_read_only();
  open();
  EXPECT_FALSE(store_->keep_from(kKey.tier, kKey.chunk));
  disk_->heal();
  int failures = 0;
  while (failures < 30 && !store_->keep_from(kKey.tier, kKey.chunk)) ++failures;
  EXPECT_LT(failures, 30);
  EXPECT_EQ(store_->expiry().floor(kKey.tier), kKey.chunk);
  EXPECT_EQ(store_->stats().reopenings, 1U);
  EXPECT_TRUE(write(2));
}

TEST_F(RocksRecovery, ReadersOnOtherThreadsAreSafe) {
  ASSERT_TRUE(write(1));
  std::atomic<TickNo> written{1};
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!done) {
        const TickNo least = written;
        const auto snapshot = store_->snapshot();
        const auto read = count_in(*snapshot);
        EXPECT_TRUE(read || read.error().code == ErrorCode::kUnavailable) << read.error().message;
        if (!read) continue;
        EXPECT_GE(*read, least);
        EXPECT_EQ(*read, count_in(*snapshot).value()) << "a snapshot does not move";
        static_cast<void>(store_->stats());
      }
    });
  }
  for (TickNo tick = 2; tick <= 40; ++tick) {
    if (tick % 4 == 0) disk_->fail({tick % 8 == 0 ? DiskOp::kSync : DiskOp::kAppend});
    while (!write(tick))
      std::this_thread::yield();  // until the readers release it; ctest's timeout finds a hang
    written = tick;
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(count(), 40U);
}

// RocksDB's own text log would abort the process if a line does not fit on the disk.
TEST_F(RocksRecovery, RocksDbWarnsAndWritesNoLogFile) {
  disk_->fail({DiskOp::kAppend, 1, false, ENOSPC});
  ASSERT_FALSE(write(1));
  {
    MutexLock lock(mutex_);
    EXPECT_NE(warnings_.find("Background IO error"), std::string::npos) << warnings_;
  }
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "data" / "db" / "LOG"));
}

// The disk has lost synced data: the store must not continue as if it were there.
TEST_F(RocksRecovery, ALostDurableTickIsReported) {
  for (TickNo tick = 1; tick <= 5; ++tick) ASSERT_TRUE(write(tick));
  disk_->fail({DiskOp::kAppend});
  ASSERT_FALSE(write(6));
  for (const auto& file : std::filesystem::directory_iterator(directory_.path() / "data" / "db")) {
    if (file.path().extension() == ".log") std::filesystem::resize_file(file.path(), 0);
  }
  const Status gone = write(6);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(gone.error().message.find("it ends at tick 0, but tick 5 was the last written"),
            std::string::npos)
      << gone.error().message;
}

TEST_F(RocksRecovery, ADatabaseThatAnotherProcessHasWrittenIsRefused) {
  ASSERT_TRUE(write(1));
  disk_->fail({DiskOp::kSync});
  ASSERT_FALSE(write(2));
  disk_->fail({DiskOp::kRename, 1, true});
  ASSERT_FALSE(write(2)) << "open for reading, without a lock";
  disk_->heal();
  const auto mine = std::exchange(store_, nullptr);
  open();
  ASSERT_TRUE(write(50));
  store_.reset();
  for (int i = 0; i < 20; ++i) {
    StoreBatch batch;
    batch.tick = 2;
    batch.journal = {{2, "row"}};
    ASSERT_FALSE(mine->write(batch));
  }
}

// As if its disk were unmounted: RocksDB would create a new database there.
TEST_F(RocksRecovery, AnEmptyDirectoryInItsPlaceIsRefused) {
  ASSERT_TRUE(write(1));
  disk_->fail({DiskOp::kSync});
  ASSERT_FALSE(write(2));
  const auto database = directory_.path() / "data" / "db";
  const auto elsewhere = directory_.path() / "elsewhere";
  std::filesystem::rename(database, elsewhere);
  std::filesystem::create_directory(database);
  for (int i = 0; i < 20; ++i) ASSERT_FALSE(write(2));
  EXPECT_FALSE(std::filesystem::exists(database / "CURRENT"));
  std::filesystem::remove_all(database);
  std::filesystem::rename(elsewhere, database);
  EXPECT_LE(failures_until_written(2), static_cast<int>(RetryBackoff::kPauseMax));
  EXPECT_EQ(count(), 2U);
}

TEST(RetryBackoff, PausesDoubleUpToALimitAndResetAfterSuccesses) {
  RetryBackoff backoff;
  std::vector<int> pauses;
  for (int tries = 0; tries < 7; ++tries) {
    int pause = 0;
    while (!backoff.is_due()) ++pause;
    pauses.push_back(pause);
    backoff.record_attempt();
  }
  EXPECT_EQ(pauses, (std::vector<int>{0, 1, 2, 4, 8, 16, 16}));
  for (uint32_t i = 0; i < RetryBackoff::kSuccessesToReset; ++i) backoff.record_success();
  EXPECT_TRUE(backoff.is_due());
  backoff.record_attempt();
  EXPECT_FALSE(backoff.is_due());
  EXPECT_TRUE(backoff.is_due()) << "the pause is one call again";
}

}  // namespace
}  // namespace statmill
