// The parts of the suite storage that are more than a loop over a store: the pipeline, the store that can
// wait for its background work, and the figures computed from samples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "tests/support/memory_store.h"
#include "tests/support/temp_directory.h"
#include "tools/statmill-bench/bench_store.h"
#include "tools/statmill-bench/storage_measures.h"
#include "tools/statmill-bench/storage_pipeline.h"

namespace statmill {
namespace {

using testing::HasSubstr;

constexpr size_t kSeries = 1000;
constexpr size_t kTicksPerFlush = 60;

std::vector<ShardNo> spread_shards() {
  std::vector<ShardNo> out;
  for (size_t i = 0; i < kSeries; ++i) out.push_back(static_cast<ShardNo>(i * 7));
  return out;
}

// A MemoryStore with functions to count its contents.
class WatchedStore {
 public:
  Store& store() { return memory_; }
  size_t journal_rows() {
    size_t rows = 0;
    const LoadVisitor visitor{[](const SeriesRow&) { return Status::ok(); },
                              [](ShardNo, TickNo, std::string_view) { return Status::ok(); },
                              [&](TickNo, std::string_view) {
                                ++rows;
                                return Status::ok();
                              },
                              [](SeriesId) { return Status::ok(); }};
    EXPECT_TRUE(memory_.load(visitor));
    return rows;
  }
  size_t flushed_shards() {
    const auto snapshot = memory_.snapshot();
    size_t n = 0;
    for (size_t s = 0; s < kShardCount; ++s) n += *snapshot->flushed_tick(static_cast<ShardNo>(s)) != 0;
    return n;
  }

 private:
  MemoryStore memory_{bench_tiers()};
};

// Returns all stored buckets by series and slot.
using Model = std::map<SeriesId, std::vector<SlotBucket>>;

// Runs `ticks` ticks of one slot each; every series has a bucket in each.
void run_ticks(StoragePipeline& pipeline, StorageValues& values, size_t ticks, Model& model) {
  const Slot first = bench_tiers().finest().slot_of(kFirstTime);
  for (size_t t = 0; t < ticks; ++t) {
    const Slot slot = first + static_cast<Slot>(t);
    std::vector<Arrival> arrivals;
    for (size_t s = 0; s < kSeries; ++s) {
      const Bucket bucket = values.next(s);
      if (bucket.is_empty()) continue;
      arrivals.push_back({static_cast<SeriesId>(s), bucket});
      model[static_cast<SeriesId>(s)].push_back({slot, bucket});
    }
    ASSERT_TRUE(pipeline.tick(slot, arrivals));
  }
}

TEST(StoragePipeline, StoresEveryBucketOnce) {
  for (const StorageWorkload workload : kStorageWorkloads) {
    WatchedStore watched;
    StorageValues values(workload, kSeries);
    const std::vector<ShardNo> shards = spread_shards();
    StoragePipeline pipeline(watched.store(), shards,
                             {.kind = workload_kind(workload), .ticks_per_flush = kTicksPerFlush});
    Model model;
    run_ticks(pipeline, values, 2 * kTicksPerFlush + 7, model);
    ASSERT_TRUE(pipeline.finish());
    const Tier& finest = watched.store().tiers().finest();
    const auto snapshot = watched.store().snapshot();
    size_t bytes = 0;
    for (const auto& [id, wanted] : model) {
      const ChunkKey key{0, finest.chunk_of_time(kFirstTime), id};
      const std::string frames = *snapshot->chunk(key);
      bytes += frames.size();
      const DecodedChunk chunk = decode_chunk(key, finest.slot_of(kFirstTime), finest.chunk_slots, frames);
      ASSERT_EQ(chunk.buckets, wanted) << workload_name(workload) << " series " << id;
    }
    EXPECT_EQ(watched.store().stats().memory_bytes, bytes) << "the journal has been trimmed";
  }
}

TEST(StoragePipeline, FlushesEachShardOncePerWindowAtDifferentTicks) {
  WatchedStore watched;
  StorageValues values(StorageWorkload::kMix, kSeries);
  const std::vector<ShardNo> shards = spread_shards();
  StoragePipeline pipeline(watched.store(), shards, {.ticks_per_flush = kTicksPerFlush});
  Model model;
  run_ticks(pipeline, values, kTicksPerFlush / 2, model);
  EXPECT_NEAR(static_cast<double>(watched.flushed_shards()), kShardCount / 2.0, 8);
  EXPECT_GT(watched.journal_rows(), 0U);
  run_ticks(pipeline, values, kTicksPerFlush / 2, model);
  EXPECT_EQ(watched.flushed_shards(), static_cast<size_t>(kShardCount));
}

class BenchStoreTest : public testing::Test {
 protected:
  void open() {
    auto opened = BenchStore::open(directory_.path() / "store", bench_tiers());
    ASSERT_TRUE(opened) << opened.error().message;
    store_.emplace(std::move(*opened));
  }
  void write_fragments(size_t n) {
    const Tier& finest = store_->store().tiers().finest();
    const ChunkNo chunk = finest.chunk_of_time(kFirstTime);
    for (size_t i = 0; i < n; ++i) {
      const Slot first = finest.slot_of(kFirstTime);
      const SlotBucket bucket{first + static_cast<Slot>(i), Bucket::of(Number::decimal(1, 0))};
      StoreBatch batch;
      batch.fragments.push_back(
          {{0, chunk, 1}, encode_buckets({0, chunk, 1}, first, Combine::kMerge, {&bucket, 1})});
      ASSERT_TRUE(store_->store().write(batch));
    }
  }

  TempDirectory directory_;
  std::optional<BenchStore> store_;
};

TEST_F(BenchStoreTest, CountsWrittenBytesPerStage) {
  open();
  write_fragments(100);
  const WrittenBytes logged = store_->store().stats().written;
  EXPECT_GT(logged.log, 100U * 20);
  EXPECT_EQ(logged.flush + logged.compaction, 0U);
  EXPECT_EQ(store_->tier_bytes(0), 0U);
  ASSERT_TRUE(store_->settle());
  const WrittenBytes settled = store_->store().stats().written;
  EXPECT_EQ(settled.log, logged.log);
  EXPECT_GT(settled.flush, 0U);
  ASSERT_TRUE(store_->compact(0));
  const WrittenBytes compacted = store_->store().stats().written;
  EXPECT_GT(compacted.compaction, settled.compaction);
  EXPECT_EQ(compacted.total(), compacted.log + compacted.flush + compacted.compaction);
  EXPECT_GT(store_->tier_bytes(0), 0U);
  EXPECT_EQ(store_->tier_bytes(1), 0U);
}

TEST_F(BenchStoreTest, KeepsItsDataIfThePageCacheIsDropped) {
  open();
  write_fragments(10);
  ASSERT_TRUE(store_->compact(0));
  ASSERT_TRUE(store_->drop_page_cache());
  const Tier& finest = store_->store().tiers().finest();
  const ChunkKey key{0, finest.chunk_of_time(kFirstTime), 1};
  const auto frames = store_->store().snapshot()->chunk(key);
  ASSERT_TRUE(frames);
  EXPECT_EQ(decode_chunk(key, finest.slot_of(kFirstTime), finest.chunk_slots, *frames).buckets.size(), 10U);
}

TEST(ScratchDirectory, IsRemovedAfterUse) {
  const TempDirectory parent;
  {
    const auto made = ScratchDirectory::make(parent.path());
    ASSERT_TRUE(made);
    EXPECT_EQ(made->path().parent_path(), parent.path());
    std::ofstream(made->path() / "file") << "content";
  }
  EXPECT_TRUE(std::filesystem::is_empty(parent.path()));
  const auto nowhere = ScratchDirectory::make(parent.path() / "missing");
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("missing"));
}

TEST(StorageMeasures, PercentileUsesTheNearestRank) {
  std::vector<double> samples;
  for (int i = 200; i > 0; --i) samples.push_back(i);
  EXPECT_EQ(percentile(samples, 50), 100);
  EXPECT_EQ(percentile(samples, 99), 198);
  EXPECT_EQ(percentile(samples, 100), 200);
  EXPECT_EQ(percentile({7}, 50), 7);
}

class HostMeasure : public testing::Test {
 protected:
  Measured run(const std::filesystem::path& data) {
    StorageOptions options;
    options.data = data;
    return measure_host({options, "", {}});
  }

  TempDirectory directory_;
};

TEST_F(HostMeasure, ReadsEveryFileAsASeries) {
  static_cast<void>(
      directory_.write("a.csv", "timestamp,value\n2014-02-14 14:30:00,0.132\n2014-02-14 14:35:00,1e3\n"));
  static_cast<void>(directory_.write("below/b.csv", "2014-02-14 14:30:00,51.846000000000004\r\n"));
  static_cast<void>(directory_.write("LICENSE.txt", "not a series\n"));
  const Measured measured = run(directory_.path());
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->size(), 1U);
  EXPECT_EQ(measured->front().name, "storage.host.bytes_per_bucket");
  EXPECT_EQ(measured->front().n, 3U);
}

TEST_F(HostMeasure, IsSkippedWithoutADirectory) {
  for (const auto& data : {std::filesystem::path(), directory_.path() / "missing"}) {
    const Measured measured = run(data);
    ASSERT_TRUE(measured);
    EXPECT_TRUE(measured->empty());
  }
}

TEST_F(HostMeasure, ReportsTheLineThatIsNotAValue) {
  static_cast<void>(directory_.write("a.csv", "timestamp,value\n2014-02-14 14:30:00,nan\n"));
  const Measured measured = run(directory_.path());
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error().message, HasSubstr("a.csv:2"));
}

TEST_F(HostMeasure, RefusesADirectoryWithoutFiles) {
  const Measured measured = run(directory_.path());
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error().message, HasSubstr("no .csv files"));
}

}  // namespace
}  // namespace statmill
