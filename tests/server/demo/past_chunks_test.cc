// The chunks of the demo's past agree with its samples and with each other, in every tier, and a DemoStore
// shows them together with what is stored.
#include "server/demo/past_chunks.h"

#include <gtest/gtest.h>

#include "server/demo/demo_store.h"
#include "storage/codec/codec.h"
#include "storage/rollup.h"
#include "tests/support/memory_store.h"

namespace statmill {
namespace {

constexpr int64_t kPresent = 1'700'000'000;

Retention retention_of_hosts() {
  Retention retention(*Tiers::parse("10s:2d,5m:90d,1h:3y"));
  EXPECT_TRUE(retention.add_rule("host.* 1s:6h"));
  return retention;
}

class PastChunksTest : public testing::Test {
 protected:
  DecodedChunk read(const ChunkKey& key, std::string_view frames) const {
    const Tier& tier = tiers_[key.tier];
    const Slot first = static_cast<Slot>(key.chunk) * tier.chunk_slots;
    DecodedChunk chunk = decode_chunk(key, first, tier.chunk_slots, frames);
    EXPECT_EQ(chunk.damaged_frames, 0U);
    return chunk;
  }
  DecodedChunk read(const ChunkKey& key) const { return read(key, past_.frames(key)); }
  SeriesId id_of(std::string_view path, Kind kind) const {
    for (SeriesId id = 0; id < past_.count(); ++id) {
      const DemoSeries& series = world_.series()[id];
      if (series.name.starts_with(path) && series.kind() == kind) return id;
    }
    ADD_FAILURE() << path;
    return 0;
  }

  const Retention retention_ = retention_of_hosts();
  const Tiers tiers_ = retention_.longest();
  const DemoWorld world_{{.hosts = 3}, kPresent, 10};
  const PastChunks past_{world_, tiers_};
};

TEST_F(PastChunksTest, AFineChunkHasTheSamplesUntilThePresent) {
  const SeriesId id = id_of("host.cpu.busy_percent;", Kind::kGauge);
  const ChunkKey key{0, past_.open_chunk(), id};
  const DecodedChunk chunk = read(key);
  ASSERT_FALSE(chunk.buckets.empty());
  EXPECT_EQ(chunk.buckets.front().slot, static_cast<Slot>(key.chunk) * tiers_[0].chunk_slots);
  EXPECT_EQ(chunk.buckets.back().slot, kPresent / 10 - 1);
  DemoSample sample;
  for (const SlotBucket& slot : chunk.buckets) {
    ASSERT_TRUE(world_.sample(world_.series()[id], slot.slot * 10, sample));
    EXPECT_EQ(slot.bucket, sample.bucket);
  }
}

TEST_F(PastChunksTest, SecondsFoldIntoTheFinestTier) {
  const ChunkNo newest = tiers_.detail().chunk_of_time(kPresent - 1);
  for (SeriesId id = 0; id < past_.count(); id += 11) {  // series of all kinds, with and without a host
    const Kind kind = world_.series()[id].kind();
    for (const ChunkNo chunk : {newest - 2, newest - 1, newest}) {
      const ChunkKey key{tiers_.detail_no(), chunk, id};
      const DecodedChunk seconds = read(key);
      const int64_t begin_s = int64_t{chunk} * tiers_.detail().chunk_span_s();
      const Slot begin = tiers_[0].slot_of(begin_s);
      const Slot end = tiers_[0].slot_of(begin_s + tiers_.detail().chunk_span_s());
      const DecodedChunk fine = read({0, tiers_[0].chunk_of_slot(begin), id});
      const auto is_other = [&](const auto& at) { return at.slot < begin || at.slot >= end; };
      auto buckets = fine.buckets;
      auto histograms = fine.histograms;
      std::erase_if(buckets, is_other);
      std::erase_if(histograms, is_other);
      const std::string& name = world_.series()[id].name;
      ASSERT_EQ(fold(seconds.buckets, tiers_.detail_ratio(), combine_of(kind)), buckets) << name;
      ASSERT_EQ(roll_up(seconds.histograms, tiers_.detail(), tiers_[0]), histograms) << name;
    }
  }
}

TEST_F(PastChunksTest, SecondsEndAtThePresentAndBeginWithTheirRetention) {
  const TierNo seconds = tiers_.detail_no();
  const SeriesId id = id_of("host.cpu.busy_percent;", Kind::kGauge);
  ASSERT_TRUE(past_.has(seconds));
  EXPECT_EQ(past_.first(seconds), tiers_.detail().chunk_of_time(kPresent - 6 * 3600));
  const DecodedChunk chunk = read({seconds, tiers_.detail().chunk_of_time(kPresent - 1), id});
  ASSERT_FALSE(chunk.buckets.empty());
  EXPECT_EQ(chunk.buckets.back().slot, kPresent - 1);
  EXPECT_EQ(static_cast<int64_t>(chunk.buckets.size()), kPresent - chunk.buckets.front().slot);
}

TEST_F(PastChunksTest, ThereAreNoSecondsThatNoClassKeeps) {
  const Tiers without = tiers_.without_detail();
  const PastChunks past(world_, without);
  EXPECT_FALSE(past.has(tiers_.detail_no()));
}

TEST_F(PastChunksTest, ASeriesIsDetailedIfItsClassKeepsSeconds) {
  MemoryStore below(tiers_);
  DemoStore store(below, past_);
  ASSERT_TRUE(store.write_names(world_, retention_));
  std::map<bool, size_t> detailed;
  LoadVisitor visitor;
  visitor.series = [&](const SeriesRow& row) {
    EXPECT_EQ(row.is_detailed, row.name.starts_with("host.")) << row.name;
    ++detailed[row.is_detailed];
    return Status::ok();
  };
  visitor.shard = [](ShardNo, TickNo, std::string_view) { return Status::ok(); };
  visitor.journal = [](TickNo, std::string_view) { return Status::ok(); };
  visitor.deleted = [](SeriesId) { return Status::ok(); };
  ASSERT_TRUE(store.load(visitor));
  EXPECT_GT(detailed[true], 100U);
  EXPECT_GT(detailed[false], 10U);
}

TEST_F(PastChunksTest, CoarserTiersAreTheRollupOfTheFinestOne) {
  for (const auto& [path, kind] :
       {std::pair("host.cpu.busy_percent;", Kind::kGauge), std::pair("host.net.bytes;", Kind::kEvent),
        std::pair("host.block.latency_ns;", Kind::kDistribution)}) {
    const SeriesId id = id_of(path, kind);
    const DecodedChunk fine = read({0, past_.open_chunk() - 1, id});
    for (const TierNo t : {TierNo{1}, TierNo{2}}) {
      const auto rolled = roll_up(fine.buckets, tiers_[0], tiers_[t], kind);
      const auto histograms = roll_up(fine.histograms, tiers_[0], tiers_[t]);
      const DecodedChunk coarse = read({t, tiers_[t].chunk_of_slot(rolled.front().slot), id});
      for (const SlotBucket& slot : rolled) {
        const auto found = std::ranges::find(coarse.buckets, slot.slot, &SlotBucket::slot);
        if (tiers_[t].chunk_of_slot(slot.slot) != tiers_[t].chunk_of_slot(rolled.front().slot)) continue;
        ASSERT_NE(found, coarse.buckets.end()) << path << " " << slot.slot;
        EXPECT_EQ(found->bucket, slot.bucket) << path;
      }
      for (const SlotHistogram& slot : histograms) {
        const auto found = std::ranges::find(coarse.histograms, slot.slot, &SlotHistogram::slot);
        if (tiers_[t].chunk_of_slot(slot.slot) != tiers_[t].chunk_of_slot(rolled.front().slot)) continue;
        ASSERT_NE(found, coarse.histograms.end());
        EXPECT_EQ(found->histogram, slot.histogram);
      }
    }
  }
}

TEST_F(PastChunksTest, CoarserTiersEndWhereRollupGoesOn) {
  const SeriesId id = id_of("host.cpu.busy_percent;", Kind::kGauge);
  const int64_t rolled_s = static_cast<int64_t>(past_.open_chunk()) * tiers_[0].chunk_span_s();
  for (const TierNo t : {TierNo{1}, TierNo{2}}) {
    const DecodedChunk chunk = read({t, tiers_[t].chunk_of_time(rolled_s - 1), id});
    ASSERT_FALSE(chunk.buckets.empty());
    EXPECT_EQ(chunk.buckets.back().slot, tiers_[t].slot_of(rolled_s) - 1);
  }
}

TEST_F(PastChunksTest, AnOldHourCountsForAllItsSamples) {
  const SeriesId gauge = id_of("host.cpu.busy_percent;", Kind::kGauge);
  const DecodedChunk chunk = read({2, past_.first(2) + 2, gauge});
  ASSERT_EQ(static_cast<int64_t>(chunk.buckets.size()), tiers_[2].chunk_slots);
  for (const SlotBucket& slot : chunk.buckets) EXPECT_EQ(slot.bucket.count(), 3600U);
}

TEST_F(PastChunksTest, AStoreShowsThePastAndWhatIsStored) {
  MemoryStore below(tiers_);
  DemoStore store(below, past_);
  ASSERT_TRUE(store.write_names(world_, retention_));
  const SeriesId id = id_of("host.cpu.busy_percent;", Kind::kGauge);
  const SeriesId other = past_.count() + 5;  // made by a sender
  const ChunkNo open = past_.open_chunk();
  const Slot first = static_cast<Slot>(open) * tiers_[0].chunk_slots;
  const std::vector<SlotBucket> live = {{past_.end(), Bucket::of(Number::decimal(7, 0))}};
  StoreBatch batch;
  for (const SeriesId written : {id, other}) {
    const ChunkKey key{0, open, written};
    batch.fragments.push_back({key, encode_buckets(key, first, Combine::kMerge, live)});
  }
  ASSERT_TRUE(store.write(batch));

  const auto snapshot = store.snapshot();
  const auto past_slots = read({0, open, id}).buckets.size();
  const auto stored = snapshot->chunk({0, open, id});
  ASSERT_TRUE(stored);
  EXPECT_EQ(read({0, open, id}, *stored).buckets.size(), past_slots + 1);
  EXPECT_EQ(*snapshot->rollup_position(), (RollupPosition{open, 0}));

  std::vector<SeriesId> visited;
  ASSERT_TRUE(snapshot->scan(0, open, 0, [&](SeriesId seen, std::string_view) {
    visited.push_back(seen);
    return true;
  }));
  EXPECT_TRUE(std::ranges::is_sorted(visited));
  EXPECT_EQ(visited.back(), other);
  EXPECT_EQ(std::ranges::adjacent_find(visited), visited.end());

  const std::vector<SeriesId> ids = {id, id + 1, other};
  std::map<size_t, size_t> slots;
  ASSERT_TRUE(snapshot->chunks(0, open, ids, [&](size_t position, std::string_view frames) {
    slots[position] = read({0, open, ids[position]}, frames).buckets.size();
  }));
  EXPECT_EQ(slots[0], past_slots + 1);
  EXPECT_EQ(slots[2], 1U);
}

TEST_F(PastChunksTest, WhatHasExpiredIsGone) {
  MemoryStore below(tiers_);
  DemoStore store(below, past_);
  ASSERT_TRUE(store.write_names(world_, retention_));
  EXPECT_EQ(*store.snapshot()->oldest_chunk(0), past_.first(0));
  ASSERT_TRUE(store.expire(0, past_.open_chunk() - 3));
  const auto snapshot = store.snapshot();
  EXPECT_EQ(*snapshot->oldest_chunk(0), past_.open_chunk() - 3);
  EXPECT_EQ(*snapshot->chunk({0, past_.open_chunk() - 4, 0}), "");
  EXPECT_NE(*snapshot->chunk({0, past_.open_chunk() - 3, 0}), "");
}

}  // namespace
}  // namespace statmill
