#include "server/query/read/column_cache.h"

#include <gtest/gtest.h>

#include "storage/codec/chunk_columns.h"
#include "tests/storage/codec/codec_helpers.h"
#include "tests/storage/slot_columns.h"

namespace statmill {
namespace {

using namespace codec_helpers;

constexpr size_t kCacheBytes = size_t{16} << 20;

class ColumnCacheTest : public testing::Test {
 protected:
  // A chunk of samples that differ from slot to slot.
  static std::string chunk(int64_t seed, size_t slots = kChunkSlots, size_t samples = 1) {
    std::vector<SlotBucket> buckets;
    for (size_t i = 0; i < slots; ++i) {
      const auto n = static_cast<int64_t>(i);
      Bucket bucket;
      for (size_t k = 0; k < samples; ++k)
        bucket.merge(gauge(seed + n * n % 977 + static_cast<int64_t>(k), 2));
      buckets.push_back({codec_helpers::kFirst + n, bucket});
    }
    return encode(buckets);
  }
  // Compares with decode_columns() and returns whether the cache had the columns.
  bool decode(const std::string& frames, Parts parts = {}, Slot begin = codec_helpers::kFirst,
              size_t size = kChunkSlots, SeriesId id = kKey.id) {
    const ChunkKey key{kKey.tier, kKey.chunk, id};
    SlotColumns got(begin, size, parts);
    SlotColumns want(begin, size, parts);
    const auto decoded = used_->decode({key, codec_helpers::kFirst, kChunkSlots}, frames, got);
    EXPECT_EQ(decode_columns(key, codec_helpers::kFirst, kChunkSlots, frames, want), decoded.damaged_frames);
    for (size_t i = 0; i < size; ++i) {
      EXPECT_TRUE(same_numbers(got.bucket_at(i), want.bucket_at(i), got.parts)) << i;
    }
    EXPECT_EQ(got.histograms, want.histograms);
    return decoded.is_cached;
  }

  ColumnCache cache_{kCacheBytes};
  ColumnCache small_{kCacheBytes / 256};
  ColumnCache* used_ = &cache_;
};

TEST_F(ColumnCacheTest, HasAChunkFromTheThirdTimeOn) {
  const std::string frames = chunk(0);
  EXPECT_FALSE(decode(frames));
  EXPECT_EQ(cache_.bytes(), 0U);
  EXPECT_FALSE(decode(frames));
  EXPECT_GT(cache_.bytes(), 0U);
  EXPECT_TRUE(decode(frames));
}

TEST_F(ColumnCacheTest, AnswersAnyRangeAndAllPartsOfSingleObservations) {
  const std::string frames = chunk(0);
  decode(frames);
  decode(frames, {}, codec_helpers::kFirst + 100, 10);
  EXPECT_TRUE(decode(frames, {.extremes = true, .squares = true}));
  EXPECT_TRUE(decode(frames, {}, codec_helpers::kFirst - 50, 100));
  EXPECT_TRUE(decode(frames, {.extremes = true}, codec_helpers::kFirst + kChunkSlots - 7, 100));
}

TEST_F(ColumnCacheTest, GetsThePartsThatAQueryAsksFor) {
  const std::string frames = chunk(0, kChunkSlots, 3);
  decode(frames);
  decode(frames);
  EXPECT_TRUE(decode(frames, {.extremes = true}));
  EXPECT_TRUE(decode(frames));
  EXPECT_FALSE(decode(frames, {.extremes = true, .squares = true}));
  EXPECT_TRUE(decode(frames, {.extremes = true, .squares = true}));
  EXPECT_TRUE(decode(frames));
}

TEST_F(ColumnCacheTest, KeepsHistograms) {
  std::vector<SlotHistogram> histograms;
  for (Slot i = 0; i < 50; ++i) {
    SparseHistogram latencies;
    for (int k = 0; k < 5; ++k) latencies.add(33'300 + static_cast<int>(i) * k, 3);
    histograms.push_back({codec_helpers::kFirst + 2 * i, latencies});
  }
  const std::string frames =
      chunk(0, 100, 3) + encode_histogram_frame(kKey, codec_helpers::kFirst, histograms);
  const Parts parts{.extremes = true, .histograms = true};
  decode(frames);
  decode(frames);
  EXPECT_FALSE(decode(frames, parts));
  EXPECT_TRUE(decode(frames, parts));
  EXPECT_TRUE(decode(frames));
  EXPECT_TRUE(decode(frames, parts, codec_helpers::kFirst + 11, 20));
}

// The chunk is decoded each time, but only once. What is there without the histograms stays.
TEST_F(ColumnCacheTest, DoesNotKeepWhatIsTooLarge) {
  constexpr size_t kSlots = 200;
  used_ = &small_;
  std::vector<SlotHistogram> histograms;
  for (Slot i = 0; i < Slot{kSlots}; ++i) {
    SparseHistogram wide;
    for (int k = 0; k < 100; ++k) wide.add(30'000 + 40 * k + static_cast<int>(i % 7), 1);
    histograms.push_back({codec_helpers::kFirst + i, wide});
  }
  const std::string frames =
      chunk(0, kSlots) + encode_histogram_frame(kKey, codec_helpers::kFirst, histograms);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(decode(frames, {.histograms = true})) << i;
  EXPECT_LT(small_.bytes(), 1000U);

  const std::string others =
      chunk(1, kSlots) + encode_histogram_frame(kKey, codec_helpers::kFirst, histograms);
  for (int i = 0; i < 2; ++i) decode(others);
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(decode(others, {.histograms = true})) << i;
  EXPECT_TRUE(decode(others));
}

TEST_F(ColumnCacheTest, AQueryForSquaresKeepsNothingFromOthers) {
  const std::string frames = chunk(0, kChunkSlots, 3);
  decode(frames);
  EXPECT_FALSE(decode(frames, {.extremes = true, .squares = true}));
  EXPECT_TRUE(decode(frames));
}

TEST_F(ColumnCacheTest, ALateSampleMakesAnEntryStale) {
  const std::string frames = chunk(0);
  for (int i = 0; i < 3; ++i) decode(frames);
  const std::string later = frames + encode({{codec_helpers::kFirst + 5, gauge(123456, 2)}});
  EXPECT_FALSE(decode(later));
  EXPECT_FALSE(decode(later));
  EXPECT_TRUE(decode(later));
  EXPECT_FALSE(decode(frames + erase(codec_helpers::kFirst + 5, codec_helpers::kFirst + 6)));
}

TEST_F(ColumnCacheTest, EachSeriesHasAnEntryOfItsOwn) {
  const std::string frames = chunk(0);
  for (int i = 0; i < 3; ++i) decode(frames);
  // The checksums of frames cover the id: under another id they are damaged.
  EXPECT_FALSE(decode(frames, {}, codec_helpers::kFirst, kChunkSlots, kKey.id + 1));
}

TEST_F(ColumnCacheTest, DamageIsReportedEachTime) {
  const std::string frames = chunk(0) + seal(0x10, "damaged");
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(decode(frames)) << i;
}

TEST_F(ColumnCacheTest, LeavesWhatIsThereAlreadyToTheDecoder) {
  const std::string frames = chunk(0);
  for (int i = 0; i < 3; ++i) decode(frames);
  SlotColumns got(codec_helpers::kFirst, 20, {});
  SlotColumns want(codec_helpers::kFirst, 20, {});
  for (SlotColumns* columns : {&got, &want}) columns->add(3, gauge(7), Combine::kMerge);
  EXPECT_FALSE(cache_.decode({kKey, codec_helpers::kFirst, kChunkSlots}, frames, got).is_cached);
  decode_columns(kKey, codec_helpers::kFirst, kChunkSlots, frames, want);
  EXPECT_TRUE(same_numbers(got.bucket_at(3), want.bucket_at(3), {}));
}

TEST_F(ColumnCacheTest, HoldsNoMoreThanItMay) {
  for (SeriesId id = 0; id < 5000; ++id) {
    const ChunkKey key{0, kKey.chunk, id};
    std::vector<SlotBucket> buckets;
    for (Slot i = 0; i < kChunkSlots; ++i)
      buckets.push_back({codec_helpers::kFirst + i, gauge(i * i % 977 + id, 2)});
    const std::string frames = encode_buckets(key, codec_helpers::kFirst, Combine::kMerge, buckets);
    SlotColumns first(codec_helpers::kFirst, 10, {});
    SlotColumns second(codec_helpers::kFirst, 10, {});
    cache_.decode({key, codec_helpers::kFirst, kChunkSlots}, frames, first);
    cache_.decode({key, codec_helpers::kFirst, kChunkSlots}, frames, second);
    ASSERT_LE(cache_.bytes(), kCacheBytes);
  }
  EXPECT_GT(cache_.bytes(), kCacheBytes * 3 / 4);
}

TEST(ColumnCacheOfNoBytes, HasNothing) {
  ColumnCache cache(0);
  SlotColumns out(codec_helpers::kFirst, 10, {});
  for (int i = 0; i < 4; ++i) {
    SlotColumns columns(codec_helpers::kFirst, 10, {});
    EXPECT_FALSE(cache
                     .decode({kKey, codec_helpers::kFirst, kChunkSlots},
                             encode({{codec_helpers::kFirst, gauge(1)}}), columns)
                     .is_cached);
  }
  EXPECT_EQ(cache.bytes(), 0U);
}

}  // namespace
}  // namespace statmill
