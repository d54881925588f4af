// StoreSnapshot::chunks(): rows that are near to each other are found by a walk, others one by one.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/rocks/rocks_store.h"
#include "tests/storage/buckets.h"
#include "tests/support/memory_store.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using Texts = std::vector<std::string>;

// Writes one bucket, of a value that tells the series and the chunk, into chunks 1 to 3 of some series.
void fill(Store& store) {
  StoreBatch batch;
  for (const SeriesId id : {3U, 4U, 5U, 7U, 8U, 20U, 21U, 5000U, 70000U}) {
    for (const ChunkNo number : {1U, 2U, 3U}) {
      const ChunkKey key{0, number, id};
      const Slot first = Slot{number} * store.tiers()[0].chunk_slots;
      const SlotBucket bucket{first, Bucket::of(Number::decimal(int64_t{id} * 10 + number, 0))};
      batch.fragments.push_back({key, encode_buckets(key, first, Combine::kMerge, {&bucket, 1})});
    }
  }
  ASSERT_TRUE(store.write(batch));
}

Texts found(Store& store, const std::vector<SeriesId>& wanted) {
  const int64_t slots = store.tiers()[0].chunk_slots;
  Texts out;
  EXPECT_TRUE(store.snapshot()->chunks(0, 2, wanted, [&](size_t position, std::string_view frames) {
    const DecodedChunk chunk = decode_chunk({0, 2, wanted[position]}, 2 * slots, slots, frames);
    out.push_back(std::to_string(wanted[position]) + "=" +
                  std::to_string(static_cast<int64_t>(chunk.buckets.at(0).bucket.sum())));
  }));
  return out;
}

void expect_those_that_exist(Store& store) {
  fill(store);
  EXPECT_TRUE(found(store, {}).empty());
  EXPECT_EQ(found(store, {4}), Texts{"4=42"});
  EXPECT_EQ(found(store, {3, 4, 5, 6, 7, 8, 9}), (Texts{"3=32", "4=42", "5=52", "7=72", "8=82"}));
  EXPECT_EQ(found(store, {1, 3, 6, 8, 19, 20, 22}), (Texts{"3=32", "8=82", "20=202"}));
  EXPECT_TRUE(found(store, {2, 6, 9, 10}).empty());
  EXPECT_EQ(found(store, {3, 5000, 5001, 70000, 80000}), (Texts{"3=32", "5000=50002", "70000=700002"}));
}

TEST(StoreChunks, OfManySeriesAreThoseThatExistInFiles) {
  TempDirectory directory;
  RocksOptions options;
  options.path = directory.path() / "data";
  options.sync = false;
  auto store = RocksStore::open(options, *Tiers::parse("10s:1d,5m:1y"));
  ASSERT_TRUE(store) << store.error().message;
  expect_those_that_exist(**store);
}

TEST(StoreChunks, OfManySeriesAreThoseThatExistInMemory) {
  MemoryStore store(*Tiers::parse("10s:1d,5m:1y"));
  expect_those_that_exist(store);
}

}  // namespace
}  // namespace statmill
