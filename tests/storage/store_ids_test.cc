// Both stores find the ids of which they have chunks, and the snapshots that lack a write.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "storage/rocks/rocks_store.h"
#include "tests/storage/buckets.h"
#include "tests/storage/loaded_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

class StoreIds : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "memory") {
      store_ = std::make_unique<MemoryStore>(tiers());
      return;
    }
    RocksOptions options;
    options.path = directory_.path() / "data";
    options.sync = false;
    auto opened = RocksStore::open(options, tiers());
    ASSERT_TRUE(opened);
    store_ = std::move(*opened);
  }

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
  // Returns those of the ids of which the store has no chunk.
  std::vector<SeriesId> unused(std::vector<SeriesId> ids) {
    std::optional<TierChunk> place = TierChunk();
    while (place) {
      const auto next = store_->remove_used(ids, *place, false);
      EXPECT_TRUE(next);
      place = next ? *next : std::nullopt;
    }
    return ids;
  }

  TempDirectory directory_;
  std::unique_ptr<Store> store_;
};

TEST_P(StoreIds, FindsTheIdsWithoutChunks) {
  constexpr std::array<ChunkNo, 5> kChunks = {0, 1, 2, 700, std::numeric_limits<ChunkNo>::max()};
  std::mt19937 source(1);
  const auto random = [&source] { return static_cast<SeriesId>(source()); };
  std::set<SeriesId> used;
  const auto add = [&](SeriesId id) {
    used.insert(id);
    write_bucket({static_cast<TierNo>(random() % 2), kChunks.at(random() % kChunks.size()), id}, 3, 1);
  };
  for (int i = 0; i < 200; ++i) add(random() % 1000);
  for (int i = 0; i < 20; ++i) add(random());
  for (const SeriesId gap : {1U, 2U, 7U, 8U, 9U, 100U}) {
    std::set<SeriesId> ids;
    for (SeriesId id = random() % gap; id < 1200; id += gap) ids.insert(id);
    for (const SeriesId id : used) ids.insert({id, id + 1});
    std::vector<SeriesId> wanted;
    std::set_difference(ids.begin(), ids.end(), used.begin(), used.end(), std::back_inserter(wanted));
    EXPECT_EQ(unused({ids.begin(), ids.end()}), wanted);
  }
  EXPECT_EQ(unused({}), std::vector<SeriesId>());
}

TEST_P(StoreIds, ASearchForUsedIdsGoesByChunkNumbers) {
  write_bucket({0, 3, 1}, 0, 5);
  write_bucket({0, 7, 2}, 0, 5);
  write_bucket({1, std::numeric_limits<ChunkNo>::max(), 3}, 0, 5);
  std::vector<SeriesId> ids = {0, 1, 2, 3};
  std::atomic<bool> cancelled{false};
  using Next = std::optional<TierChunk>;
  EXPECT_EQ(*store_->remove_used(ids, {0, 0}, cancelled), Next({0, 4}));
  EXPECT_EQ(ids, (std::vector<SeriesId>{0, 2, 3}));
  EXPECT_EQ(*store_->remove_used(ids, {0, 4}, cancelled), Next({0, 8}));
  EXPECT_EQ(*store_->remove_used(ids, {0, 8}, cancelled), Next({2, 0}));
  EXPECT_EQ(ids, std::vector<SeriesId>{0});
  EXPECT_EQ(*store_->remove_used(ids, {2, 0}, cancelled), Next());
  cancelled = true;
  EXPECT_EQ(store_->remove_used(ids, {0, 0}, cancelled).error().code, ErrorCode::kUnavailable);
}

TEST_P(StoreIds, AChunkCountsUntilItsSpaceIsFreed) {
  const std::vector<SeriesId> ids = {0, 1, 2, 3};
  write_bucket({0, 1, 1}, 0, 5);
  write_bucket({0, 1, 2}, 0, 5);
  write_bucket({0, 9, 3}, 0, 5);
  ASSERT_TRUE(store_->expire(0, 2));
  store_->expiry().set_class(3, kGone);
  EXPECT_EQ(unused(ids), std::vector<SeriesId>{0});
  std::atomic<bool> cancelled{false};
  while (*store_->reclaim(cancelled)) {
  }
  EXPECT_EQ(unused(ids), ids);
}

TEST_P(StoreIds, KnowsSnapshotsThatLackAWrite) {
  write_bucket({0, 1, 1}, 0, 5);
  auto older = store_->snapshot();
  write_bucket({0, 1, 1}, 1, 5);
  const uint64_t moment = store_->moment();
  const auto later = store_->snapshot();
  write_bucket({0, 1, 1}, 2, 5);
  EXPECT_TRUE(store_->has_snapshot_before(moment));
  older.reset();
  EXPECT_FALSE(store_->has_snapshot_before(moment));
  EXPECT_TRUE(store_->has_snapshot_before(store_->moment()));
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreIds, testing::Values("memory", "rocks"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace statmill
