#include <gtest/gtest.h>

#include <limits>

#include "storage/rocks/rocks_store.h"
#include "tests/storage/buckets.h"
#include "tests/storage/loaded_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/secrets.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

// A fixture with a store of each kind and helpers to fill it.
class StoreContract : public testing::TestWithParam<std::string> {
 protected:
  StoreContract() {
    if (GetParam() == "memory") {
      store_ = std::make_unique<MemoryStore>(tiers());
    } else {
      open();
    }
  }
  void open() {
    RocksOptions options;
    options.path = directory_.path() / "data";
    options.sync = false;
    auto opened = RocksStore::open(options, tiers());
    if (opened) store_ = std::move(*opened);
  }
  // Reopens the store, as a new process would.
  void reopen() {
    if (GetParam() == "memory") return static_cast<MemoryStore&>(*store_).restart();
    store_.reset();
    open();
    ASSERT_NE(store_, nullptr);
  }
  void SetUp() override { ASSERT_NE(store_, nullptr); }

  void write(const StoreBatch& batch) {
    const Status status = store_->write(batch);
    ASSERT_TRUE(status) << status.error().message;
  }
  void write_bucket(const ChunkKey& key, Slot offset, int64_t value) {
    const Slot first = Slot{key.chunk} * store_->tiers()[key.tier].chunk_slots;
    const SlotBucket bucket{first + offset, Bucket::of(Number::decimal(value, 0))};
    StoreBatch batch;
    batch.fragments.push_back({key, encode_buckets(key, first, Combine::kMerge, {&bucket, 1})});
    write(batch);
  }
  void write_row(TickNo tick, std::string bytes) {
    StoreBatch batch;
    batch.journal.push_back({tick, std::move(bytes)});
    write(batch);
  }
  void write_flushed(ShardNo shard, TickNo tick, std::string activity = {}) {
    StoreBatch batch;
    batch.flushed.push_back({shard, tick, std::move(activity)});
    write(batch);
  }
  DecodedChunk decoded(const ChunkKey& key, std::string_view frames) {
    const int64_t slots = store_->tiers()[key.tier].chunk_slots;
    return decode_chunk(key, Slot{key.chunk} * slots, slots, frames);
  }
  DecodedChunk chunk(const ChunkKey& key) { return decoded(key, *store_->snapshot()->chunk(key)); }
  std::vector<std::string> scanned(TierNo tier, ChunkNo number, SeriesId first, size_t limit = 100) {
    std::vector<std::string> out;
    EXPECT_TRUE(store_->snapshot()->scan(tier, number, first, [&](SeriesId id, std::string_view frames) {
      const DecodedChunk chunk = decoded({tier, number, id}, frames);
      out.push_back(std::to_string(id) + "=" + std::to_string(chunk.buckets.at(0).bucket.sum()));
      return out.size() < limit;
    }));
    return out;
  }

  void reclaim_all() {
    std::atomic<bool> cancelled{false};
    for (Result<bool> more = true; more && *more;) {
      more = store_->reclaim(cancelled);
      ASSERT_TRUE(more) << more.error().message;
    }
  }
  std::string ids(TierNo tier, ChunkNo number) {
    std::string out;
    EXPECT_TRUE(store_->snapshot()->scan(tier, number, 0, [&](SeriesId id, std::string_view) {
      out += std::to_string(id) + " ";
      return true;
    }));
    return out;
  }

  TempDirectory directory_;
  std::unique_ptr<Store> store_;
};

TEST_P(StoreContract, KeepsAgentsUntilTheyAreForgotten) {
  AgentRow one;
  one.id.bytes[0] = 1;
  one.position = {1, 2, 3, Timestamp(Duration(4))};
  AgentRow two = one;
  two.id.bytes[15] = 0xff;
  StoreBatch batch;
  batch.agents = {one, two};
  write(batch);
  one.position.seq = 9;
  batch.agents = {one};
  batch.forgotten_agents = {two.id};
  batch.forgotten_until = Timestamp(Duration(1'700'000'000'123));
  write(batch);
  const auto agents = store_->snapshot()->agents();
  ASSERT_TRUE(agents);
  EXPECT_EQ(agents->rows, std::vector<AgentRow>{one});
  EXPECT_EQ(agents->damaged, 0U);
  EXPECT_EQ(agents->forgotten_until, batch.forgotten_until);
}

TEST_P(StoreContract, AnEmptyStoreHasNothing) {
  EXPECT_EQ(store_->tiers().text(), tiers().text());
  EXPECT_EQ(loaded(*store_), std::vector<std::string>{"shard 255 0 "});
  const auto snapshot = store_->snapshot();
  EXPECT_EQ(*snapshot->last_tick(), 0U);
  EXPECT_EQ(*snapshot->flushed_tick(0), 0U);
  EXPECT_EQ(*snapshot->rollup_position(), RollupPosition{});
  EXPECT_EQ(*snapshot->chunk({0, 1, 2}), "");
  EXPECT_EQ(*snapshot->oldest_chunk(1), std::nullopt);
}

TEST_P(StoreContract, LoadVisitsShardsThenSeriesThenRowsAboveTheLowestFlush) {
  StoreBatch batch;
  batch.series = {{300, Kind::kGauge, "b"}, {2, Kind::kEvent, "a;x=1"}, {4, Kind::kCounter, "c"}};
  batch.journal = {{258, "old"}, {259, "new"}, {2, "first"}};
  for (int shard = 0; shard < kShardCount; ++shard)
    batch.flushed.push_back({static_cast<ShardNo>(shard), 257, ""});
  batch.flushed[0] = {0, 258, std::string("activity\0x", 10)};
  write(batch);
  auto all = loaded(*store_);
  std::erase_if(all, [](const std::string& line) { return line.ends_with(" 257 "); });
  EXPECT_EQ(all, (std::vector<std::string>{"shard 0 258 " + std::string("activity\0x", 10), "series 2 *a;x=1",
                                           "series 4 +c", "series 300 b", "row 258 old", "row 259 new"}));
}

TEST_P(StoreContract, ADeletedSeriesKeepsItsIdAndARenamedOneGetsItsNewName) {
  StoreBatch batch;
  batch.series = {{1, Kind::kGauge, "a"}, {2, Kind::kEvent, "b"}, {3, Kind::kGauge, "c"}};
  batch.deleted = {3};
  write(batch);
  StoreBatch later;
  later.series = {{2, Kind::kEvent, "new.b"}};
  later.deleted = {1};
  EXPECT_FALSE(later.is_empty());
  write(later);
  EXPECT_EQ(loaded(*store_),
            (std::vector<std::string>{"shard 255 0 ", "deleted 1", "series 2 *new.b", "deleted 3"}));
}

TEST_P(StoreContract, ALoadStopsAtTheVisitorsError) {
  write_row(1, "row");
  int rows = 0;
  const auto ok = [](auto&&...) { return Status::ok(); };
  const Status status = store_->load({ok, ok,
                                      [&](TickNo, std::string_view) {
                                        ++rows;
                                        return Status(Error{ErrorCode::kCorrupt, "bad row"});
                                      },
                                      ok});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "bad row");
  EXPECT_EQ(rows, 1);
}

TEST_P(StoreContract, FragmentsOfAChunkAddUp) {
  const ChunkKey key{0, 3, 9};
  write_bucket(key, 0, 1);
  write_bucket(key, 5, 10);
  write_bucket(key, 0, 2);
  const DecodedChunk decoded = chunk(key);
  EXPECT_EQ(decoded.damaged_frames, 0U);
  ASSERT_EQ(decoded.buckets.size(), 2U);
  EXPECT_EQ(decoded.buckets[0].bucket.sum(), 3);
  EXPECT_EQ(decoded.buckets[0].bucket.count(), 2U);
  EXPECT_EQ(decoded.buckets[1].bucket.sum(), 10);
  EXPECT_TRUE(chunk({1, 3, 9}).buckets.empty());
}

TEST_P(StoreContract, AnEraseFrameEmptiesSlotsOfEarlierFrames) {
  const ChunkKey key{1, 3, 9};
  const Slot first = 3 * store_->tiers()[1].chunk_slots;
  write_bucket(key, 0, 1);
  const SlotBucket bucket{first, Bucket::of(Number::decimal(5, 0))};
  StoreBatch batch;
  batch.fragments.push_back({key, encode_erase(key, first, first, first + 4) +
                                      encode_buckets(key, first, Combine::kMerge, {&bucket, 1})});
  write(batch);
  EXPECT_EQ(chunk(key).buckets, std::vector<SlotBucket>{bucket});
}

TEST_P(StoreContract, ASnapshotDoesNotSeeLaterWrites) {
  const ChunkKey key{0, 3, 9};
  write_bucket(key, 0, 1);
  write_flushed(4, 10);
  const auto before = store_->snapshot();
  write_bucket(key, 0, 2);
  write_bucket({0, 1, 1}, 0, 2);
  write_flushed(4, 11);
  StoreBatch batch;
  batch.rollup_position = RollupPosition{5, 6};
  write(batch);
  EXPECT_EQ(decoded(key, *before->chunk(key)).buckets.at(0).bucket.sum(), 1);
  EXPECT_EQ(*before->flushed_tick(4), 10U);
  EXPECT_EQ(*before->rollup_position(), RollupPosition{});
  EXPECT_EQ(*before->oldest_chunk(0), std::optional<ChunkNo>(3));
  EXPECT_EQ(chunk(key).buckets.at(0).bucket.sum(), 3);
  EXPECT_EQ(*store_->snapshot()->flushed_tick(4), 11U);
  EXPECT_EQ(*store_->snapshot()->rollup_position(), (RollupPosition{5, 6}));
}

TEST_P(StoreContract, AScanVisitsOneChunkNumberByIdFromTheFirstId) {
  write_bucket({0, 3, 300}, 0, 3);
  write_bucket({0, 3, 2}, 0, 1);
  write_bucket({0, 3, 40}, 0, 2);
  write_bucket({0, 2, 41}, 0, 8);
  write_bucket({0, 4, 0}, 0, 9);
  write_bucket({1, 3, 41}, 0, 9);
  EXPECT_EQ(scanned(0, 3, 0), (std::vector<std::string>{"2=1.000000", "40=2.000000", "300=3.000000"}));
  EXPECT_EQ(scanned(0, 3, 3), (std::vector<std::string>{"40=2.000000", "300=3.000000"}));
  EXPECT_EQ(scanned(0, 3, 0, 2), (std::vector<std::string>{"2=1.000000", "40=2.000000"}));
  EXPECT_EQ(scanned(0, 5, 0), std::vector<std::string>{});
}

TEST_P(StoreContract, AScanReachesTheLastSeriesAndTheLastChunk) {
  constexpr ChunkNo kLastChunk = std::numeric_limits<ChunkNo>::max();
  constexpr SeriesId kLastSeries = std::numeric_limits<SeriesId>::max();
  write_bucket({0, kLastChunk, kLastSeries}, 0, 5);
  EXPECT_EQ(scanned(0, kLastChunk, 0), std::vector<std::string>{"4294967295=5.000000"});
}

// A failed write is tried again with the same tick; it counts once, whether it had been applied or not.
TEST_P(StoreContract, ABatchOfTheSameTickIsAppliedOnce) {
  const ChunkKey key{0, 3, 9};
  const SlotBucket bucket{3 * store_->tiers()[0].chunk_slots, Bucket::of(Number::decimal(1, 0))};
  StoreBatch batch;
  batch.tick = 7;
  batch.fragments.push_back({key, encode_buckets(key, bucket.slot, Combine::kMerge, {&bucket, 1})});
  write(batch);
  write(batch);
  EXPECT_EQ(chunk(key).buckets.at(0).bucket.count(), 1U);
  EXPECT_EQ(*store_->snapshot()->last_tick(), 7U);
  batch.tick = 9;
  write(batch);
  EXPECT_EQ(chunk(key).buckets.at(0).bucket.count(), 2U);
  batch.tick = 0;
  write(batch);
  write(batch);
  EXPECT_EQ(chunk(key).buckets.at(0).bucket.count(), 4U) << "a batch without a tick is always applied";
  EXPECT_EQ(*store_->snapshot()->last_tick(), 9U);
}

TEST_P(StoreContract, TrimmedRowsAreGone) {
  for (TickNo tick = 1; tick <= 5; ++tick) write_row(tick, std::to_string(tick));
  StoreBatch batch;
  batch.journal_trim = {0, 4};
  write(batch);
  EXPECT_EQ(loaded(*store_), (std::vector<std::string>{"shard 255 0 ", "row 4 4", "row 5 5"}));
}

TEST_P(StoreContract, ExpiryDropsOnlyChunksBelowTheFloor) {
  for (ChunkNo number = 1; number <= 5; ++number) {
    write_bucket({0, number, 1}, 0, number);
    write_bucket({1, number, 1}, 0, number);
  }
  ASSERT_TRUE(store_->expire(0, 3));
  EXPECT_EQ(*store_->snapshot()->oldest_chunk(0), std::optional<ChunkNo>(3));
  EXPECT_EQ(*store_->snapshot()->oldest_chunk(1), std::optional<ChunkNo>(1));
  EXPECT_TRUE(chunk({0, 2, 1}).buckets.empty());
  EXPECT_EQ(chunk({0, 3, 1}).buckets.size(), 1U);
  ASSERT_TRUE(store_->expire(0, 3));
  ASSERT_TRUE(store_->expire(0, 100));
  EXPECT_EQ(*store_->snapshot()->oldest_chunk(0), std::nullopt);
  write_bucket({0, 99, 1}, 0, 7);
  write_bucket({0, 100, 1}, 0, 7);
  EXPECT_TRUE(chunk({0, 99, 1}).buckets.empty()) << "while the floor is above it";
  EXPECT_EQ(chunk({0, 100, 1}).buckets.at(0).bucket.sum(), 7);
  EXPECT_EQ(store_->snapshot()->floor(0), 100U);
  EXPECT_EQ(store_->snapshot()->floor(1), 0U);
}

TEST_P(StoreContract, AFloorCanBeLoweredAndItsHighestValueIsKept) {
  write_bucket({0, 5, 1}, 0, 1);
  ASSERT_TRUE(store_->expire(0, 1000));
  ASSERT_TRUE(store_->keep_from(0, 2000));
  EXPECT_EQ(store_->snapshot()->floor(0), 1000U) << "keep_from() never raises the floor";
  ASSERT_TRUE(store_->keep_from(0, 7));
  write_bucket({0, 7, 1}, 0, 7);
  reclaim_all();
  reopen();
  EXPECT_EQ(store_->snapshot()->floor(0), 7U);
  EXPECT_EQ(store_->expiry().whole_from(kDefaultRetention), 1000U);
  EXPECT_EQ(chunk({0, 7, 1}).buckets.at(0).bucket.sum(), 7);
  EXPECT_TRUE(chunk({0, 5, 1}).buckets.empty());
  ASSERT_TRUE(store_->expire(0, 8));
  EXPECT_TRUE(chunk({0, 7, 1}).buckets.empty());
}

TEST_P(StoreContract, ExpireReturnsAboutHowManyBytesItDrops) {
  EXPECT_EQ(*store_->expire(0, 1), 0U);
  for (SeriesId id = 0; id < 100; ++id) write_bucket({0, 1, id}, 0, id);
  ASSERT_TRUE(store_->expire(1, 2));
  EXPECT_EQ(*store_->expire(0, 1), 0U) << "nothing new";
}

TEST_P(StoreContract, TheRowsOfTheClockAndOfWhatIsWholeAreTheLastOnes) {
  EXPECT_EQ(*store_->snapshot()->clock(), std::nullopt);
  EXPECT_EQ(*store_->snapshot()->whole(), std::nullopt);
  for (const int day : {1, 2}) {
    StoreBatch batch;
    batch.clock = {from_unix_seconds(day * 86'400), Duration(-day), Duration(day)};
    batch.whole = WholeRow{{{"", static_cast<ChunkNo>(day)}, {"debug.*", 80'000}}};
    write(batch);
  }
  reopen();
  EXPECT_EQ(*store_->snapshot()->clock(),
            (ClockRow{from_unix_seconds(2 * 86'400), Duration(-2), Duration(2)}));
  EXPECT_EQ(*store_->snapshot()->whole(), (WholeRow{{{"", 2}, {"debug.*", 80'000}}}));
}

TEST_P(StoreContract, KeepsTheSecretOfTheHash) {
  EXPECT_EQ(*store_->snapshot()->hash_secret(), std::nullopt);
  StoreBatch batch;
  EXPECT_TRUE(batch.is_empty());
  batch.hash_secret = secret_of(1);
  EXPECT_FALSE(batch.is_empty());
  write(batch);
  write({});
  reopen();
  EXPECT_EQ(*store_->snapshot()->hash_secret(), secret_of(1));
}

TEST_P(StoreContract, OnlyChunksPastTheRetentionOfTheirClassAreDropped) {
  for (ChunkNo number = 1; number <= 4; ++number) {
    for (SeriesId id = 0; id < 6; ++id) {
      write_bucket({0, number, id}, 0, id);
      write_bucket({1, number, id}, 0, id);
    }
  }
  store_->expiry().set_class(2, 1);
  store_->expiry().set_class(4, 2);
  store_->expiry().set_cutoff(0, 1, 3);
  store_->expiry().set_cutoff(0, 2, 2);
  reclaim_all();
  EXPECT_EQ(ids(0, 1), "0 1 3 5 ");
  EXPECT_EQ(ids(0, 2), "0 1 3 4 5 ");
  EXPECT_EQ(ids(0, 3), "0 1 2 3 4 5 ");
  EXPECT_EQ(ids(1, 1), "0 1 2 3 4 5 ");
  EXPECT_EQ(store_->stats().expired_rows, 3U);
  write_bucket({0, 4, 2}, 1, 1);
  EXPECT_EQ(chunk({0, 4, 2}).buckets.size(), 2U);
}

TEST_P(StoreContract, NothingOfADeletedSeriesStays) {
  for (SeriesId id = 0; id < 3; ++id) {
    write_bucket({0, 1, id}, 0, 1);
    write_bucket({0, 2, id}, 0, 1);
    write_bucket({1, 1, id}, 0, 1);
  }
  store_->expiry().set_class(1, kGone);
  reclaim_all();
  for (const auto& [tier, number] : std::vector<std::pair<TierNo, ChunkNo>>{{0, 1}, {0, 2}, {1, 1}})
    EXPECT_EQ(ids(tier, number), "0 2 ");
}

TEST_P(StoreContract, ReclaimingCanBeCancelled) {
  for (SeriesId id = 0; id < 3; ++id) write_bucket({0, 1, id}, 0, 1);
  store_->expiry().set_class(1, kGone);
  std::atomic<bool> cancelled{true};
  EXPECT_FALSE(*store_->reclaim(cancelled));
  EXPECT_EQ(ids(0, 1), "0 1 2 ");
  reclaim_all();
  EXPECT_EQ(ids(0, 1), "0 2 ");
}

TEST_P(StoreContract, AnEmptyBatchWritesNothing) {
  EXPECT_TRUE(store_->write({}));
  EXPECT_EQ(loaded(*store_), std::vector<std::string>{"shard 255 0 "});
}

TEST_P(StoreContract, StatsReportMemory) {
  write_row(1, std::string(100'000, 'x'));
  EXPECT_GE(store_->stats().memory_bytes, 100'000U);
  EXPECT_EQ(store_->stats().damaged_frames, 0U);
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract, testing::Values("memory", "rocks"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace statmill
