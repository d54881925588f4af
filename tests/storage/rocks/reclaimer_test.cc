#include "storage/rocks/reclaimer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "storage/codec/codec.h"
#include "storage/keys.h"
#include "storage/rocks/rocks_database.h"
#include "storage/rocks/rocks_store.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

constexpr SeriesId kSeries = 2000;

class ReclaimerTest : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() {
    store_.reset();
    options_.path = directory_.path() / "data";
    options_.sync = false;
    auto opened = RocksStore::open(options_, tiers_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }
  // Writes one chunk for each of `count` series, with incompressible values.
  void fill(TierNo tier, ChunkNo chunk, SeriesId series = kSeries) {
    const Slot first = Slot{chunk} * tiers_[tier].chunk_slots;
    StoreBatch batch;
    for (SeriesId id = 0; id < series; ++id) {
      std::vector<SlotBucket> buckets;
      for (Slot offset = 0; offset < 30; ++offset)
        buckets.push_back({first + offset, Bucket::of(Number::decimal(random(), 0))});
      const ChunkKey key{tier, chunk, id};
      batch.fragments.push_back({key, encode_buckets(key, first, Combine::kMerge, buckets)});
    }
    ASSERT_TRUE(store_->write(batch));
  }
  // Puts the series [0, count) into class 1.
  void classify(SeriesId count) {
    for (SeriesId id = 0; id < count; ++id) store_->expiry().set_class(id, 1);
  }
  // Reclaims everything and returns how many chunk numbers were rewritten.
  int reclaim() {
    std::atomic<bool> cancelled{false};
    for (int times = 0;; ++times) {
      const Result<bool> more = store_->reclaim(cancelled);
      EXPECT_TRUE(more) << more.error().message;
      if (!more || !*more) return times;
    }
  }
  uint64_t rows(TierNo tier, ChunkNo chunk) {
    uint64_t rows = 0;
    EXPECT_TRUE(
        store_->snapshot()->scan(tier, chunk, 0, [&](SeriesId, std::string_view) { return ++rows != 0; }));
    return rows;
  }
  // Compacts everything into files of one chunk number each, as RocksDB does eventually.
  void compact() {
    store_.reset();
    auto database = RocksDatabase::open(options_.path + "/db", options_, tiers_);
    ASSERT_TRUE(database);
    for (TierNo t = 0; t < tiers_.count(); ++t)
      ASSERT_TRUE((*database)->db().CompactRange({}, (*database)->tier(t), nullptr, nullptr).ok());
    database->reset();
    open();
  }
  int64_t random() {
    return static_cast<int64_t>((state_ = state_ * 6364136223846793005U + 1442695040888963407U) >> 20);
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y");
  TempDirectory directory_;
  RocksOptions options_;
  std::unique_ptr<RocksStore> store_;
  uint64_t state_ = 1;
};

TEST_F(ReclaimerTest, FreesDiskSpace) {
  for (ChunkNo chunk = 1; chunk <= 4; ++chunk) fill(0, chunk);
  compact();
  const uint64_t before = store_->stats().bytes_on_disk;
  classify(kSeries / 2);
  store_->expiry().set_cutoff(0, 1, 4);
  EXPECT_EQ(reclaim(), 3);
  for (ChunkNo chunk = 1; chunk <= 3; ++chunk) EXPECT_EQ(rows(0, chunk), kSeries / 2);
  EXPECT_EQ(rows(0, 4), kSeries);
  EXPECT_LT(store_->stats().bytes_on_disk, before * 7 / 10);
  EXPECT_EQ(store_->stats().expired_rows, 3U * kSeries / 2);
  EXPECT_EQ(reclaim(), 0) << "nothing is left to reclaim";
}

TEST_F(ReclaimerTest, AFewExpiredRowsStayUntilTheirFilesAreDeleted) {
  fill(0, 1);
  compact();
  classify(kSeries / 50);
  store_->expiry().set_cutoff(0, 1, 2);
  EXPECT_EQ(reclaim(), 0);
  EXPECT_EQ(rows(0, 1), kSeries);
  const uint64_t before = store_->stats().bytes_on_disk;
  ASSERT_TRUE(store_->expire(0, 2));
  EXPECT_EQ(rows(0, 1), 0U);
  EXPECT_EQ(reclaim(), 0);
  EXPECT_LT(store_->stats().bytes_on_disk, before / 2);
}

// Files that have chunks on both sides of the floor cannot be deleted.
TEST_F(ReclaimerTest, DroppedChunksInAFileWithOthersAreRemovedByRewritingIt) {
  fill(0, 1);
  fill(0, 2, 100);
  ASSERT_TRUE(store_->expire(0, 2));
  EXPECT_EQ(rows(0, 1), 0U);
  EXPECT_EQ(reclaim(), 1);
  EXPECT_EQ(store_->stats().expired_rows, kSeries);
  EXPECT_EQ(rows(0, 2), 100U);
  open();
  EXPECT_EQ(rows(0, 1), 0U) << "the floor is read at a start";
  fill(0, 1);
  EXPECT_EQ(rows(0, 1), 0U);
}

TEST_F(ReclaimerTest, ARestartFindsWhatIsLeftToReclaim) {
  for (ChunkNo chunk = 1; chunk <= 3; ++chunk) fill(1, chunk);
  compact();
  classify(kSeries);
  store_->expiry().set_cutoff(1, 1, 4);
  std::atomic<bool> cancelled{false};
  ASSERT_TRUE(*store_->reclaim(cancelled)) << "one at a time";
  EXPECT_EQ(rows(1, 1), 0U);
  EXPECT_EQ(rows(1, 2), kSeries);
  open();
  classify(kSeries);
  EXPECT_EQ(reclaim(), 0) << "before the first cutoff";
  store_->expiry().set_cutoff(1, 1, 4);
  EXPECT_EQ(reclaim(), 2);
  EXPECT_EQ(rows(1, 3), 0U);
}

// Fragments of a chunk in the log, in a young file and in an old one are dropped together.
TEST_F(ReclaimerTest, AChunkIsDroppedWithAllItsFragments) {
  fill(0, 1);
  compact();
  fill(0, 1);
  open();
  fill(0, 1);
  classify(kSeries);
  store_->expiry().set_cutoff(0, 1, 2);
  EXPECT_EQ(reclaim(), 1);
  EXPECT_EQ(rows(0, 1), 0U);
  open();
  EXPECT_EQ(rows(0, 1), 0U);
}

TEST_F(ReclaimerTest, AnEarlierSnapshotStaysReadable) {
  fill(0, 1);
  const auto snapshot = store_->snapshot();
  classify(kSeries / 2);
  store_->expiry().set_cutoff(0, 1, 2);
  EXPECT_EQ(reclaim(), 1);
  EXPECT_NE(*snapshot->chunk({0, 1, kSeries - 1}), "");
  EXPECT_TRUE(snapshot->chunk({0, 1, 0}));
}

// Because there is a filter, RocksDB would by default rewrite all files every 30 days.
TEST_F(ReclaimerTest, FilesAreNotRewrittenForTheirAgeAlone) {
  store_.reset();
  auto database = RocksDatabase::open(options_.path + "/db", options_, tiers_);
  ASSERT_TRUE(database);
  for (TierNo t = 0; t < tiers_.count(); ++t)
    EXPECT_EQ((*database)->db().GetOptions((*database)->tier(t)).periodic_compaction_seconds, 0U);
}

// The times are printed but not tested. The tick waits for the first; the reclaim thread spends the second,
// mostly in the file system, which unlinks one file per chunk number and 64 MB.
TEST_F(ReclaimerTest, DroppingWholeChunksTakesMilliseconds) {
  for (ChunkNo chunk = 1; chunk <= 40; ++chunk) fill(0, chunk, 200);
  compact();
  fill(0, 3, 10);
  for (const ChunkNo end : {2U, 3U, 4U, 5U, 30U}) {
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(store_->expire(0, end));
    const auto dropped = std::chrono::steady_clock::now();
    reclaim();
    const auto reclaimed = std::chrono::steady_clock::now();
    std::printf("dropped below %u: %.1f ms, files after %.1f ms\n", end,
                std::chrono::duration<double, std::milli>(dropped - start).count(),
                std::chrono::duration<double, std::milli>(reclaimed - dropped).count());
    EXPECT_EQ(rows(0, end - 1), 0U);
    EXPECT_EQ(rows(0, end), 200U);
  }
}

}  // namespace
}  // namespace statmill
