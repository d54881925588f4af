#include "storage/rocks/flushed_ticks.h"

#include <gtest/gtest.h>

#include <thread>

#include "storage/rocks/rocks_store.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

StoreBatch flush_of(ShardNo shard, TickNo tick) {
  StoreBatch batch;
  batch.flushed = {{shard, tick, "activity"}};
  batch.rollup_position = RollupPosition{static_cast<ChunkNo>(tick), 0};
  return batch;
}

TEST(FlushedTicks, AreKnownUnlessAWriteIsUnderWay) {
  FlushedTicks::Ticks initial{};
  initial[7] = 3;
  FlushedTicks ticks(initial);
  const StoreBatch batch = flush_of(7, 4);
  const uint64_t before = ticks.ended_writes();
  EXPECT_EQ(ticks.at_snapshot(before)->at(7), 3U);
  ticks.begin_write();
  EXPECT_FALSE(ticks.at_snapshot(before));
  EXPECT_FALSE(ticks.at_snapshot(ticks.ended_writes()));
  ticks.end_write(batch.flushed);
  EXPECT_FALSE(ticks.at_snapshot(before)) << "the snapshot may be older or newer than the write";
  EXPECT_EQ(ticks.at_snapshot(ticks.ended_writes())->at(7), 4U);
}

// The rollup position is in the same batch, and is read from the database.
TEST(FlushedTicks, AreThoseOfTheSnapshotWhileOthersAreWritten) {
  constexpr TickNo kTicks = 500;
  const TempDirectory directory;
  RocksOptions options;
  options.path = directory.path() / "data";
  options.sync = false;
  const Tiers tiers = *Tiers::parse("10s:1d,5m:1y");
  auto store = RocksStore::open(options, tiers);
  ASSERT_TRUE(store) << store.error().message;
  std::jthread writer([&] {
    for (TickNo tick = 1; tick <= kTicks; ++tick) {
      if (!(*store)->write(flush_of(static_cast<ShardNo>(tick % 2), tick))) return;
    }
  });
  TickNo seen = 0;
  while (seen < kTicks) {
    const auto snapshot = (*store)->snapshot();
    const TickNo even = *snapshot->flushed_tick(0);
    const TickNo odd = *snapshot->flushed_tick(1);
    seen = snapshot->rollup_position()->chunk;
    ASSERT_EQ(std::max(even, odd), seen);
    ASSERT_EQ(std::min(even, odd), seen == 0 ? 0 : seen - 1);
  }
}

TEST(FlushedTicks, SurviveThatTheStoreIsOpenedAgain) {
  const TempDirectory directory;
  RocksOptions options;
  options.path = directory.path() / "data";
  const Tiers tiers = *Tiers::parse("10s:1d,5m:1y");
  {
    auto store = RocksStore::open(options, tiers);
    ASSERT_TRUE(store && (*store)->write(flush_of(255, 9)));
  }
  auto store = RocksStore::open(options, tiers);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ(*(*store)->snapshot()->flushed_tick(255), 9U);
  EXPECT_EQ(*(*store)->snapshot()->flushed_tick(254), 0U);
}

}  // namespace
}  // namespace statmill
