// Which part of a store each retention class has: exactly in a small one, about in a large one.
#include "storage/rocks/class_bytes.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "storage/rocks/rocks_store.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

constexpr uint64_t kKeyBytes = 8;

class ClassBytesTest : public testing::Test {
 protected:
  void SetUp() override {
    RocksOptions options;
    options.path = directory_.path() / "data";
    options.sync = false;
    auto opened = RocksStore::open(options, tiers_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }
  // Writes a chunk of so many bytes, which do not compress, for each series in [begin, end).
  void fill(TierNo tier, ChunkNo chunk, SeriesId begin, SeriesId end, size_t bytes) {
    StoreBatch batch;
    for (SeriesId id = begin; id < end; ++id) {
      std::string frames(bytes, '\0');
      for (char& c : frames)
        c = static_cast<char>((state_ = state_ * 6364136223846793005U + 1442695040888963407U) >> 56);
      batch.fragments.push_back({{tier, chunk, id}, std::move(frames)});
    }
    ASSERT_TRUE(store_->write(batch));
  }
  // Puts the series [begin, end) into the class.
  void classify(SeriesId begin, SeriesId end, RetentionClass retention) {
    for (SeriesId id = begin; id < end; ++id) store_->expiry().set_class(id, retention);
  }
  ClassBytes bytes(TierNo tier, ChunkNo begin, ChunkNo end, uint64_t rows_max) {
    const auto sizes = store_->class_bytes({{tier, begin, end}, rows_max});
    EXPECT_TRUE(sizes) << sizes.error().message;
    EXPECT_FALSE(sizes && sizes->are_least);
    return sizes ? sizes->bytes : ClassBytes{};
  }
  // Returns how often it asks whether it is over, which it does at each place and before its rows.
  uint64_t looks(uint64_t rows_max) {
    uint64_t out = 0;
    EXPECT_TRUE(store_->class_bytes({{0, 0, 90'000}, rows_max, [&out] { return ++out == 0; }}));
    return out;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y");
  TempDirectory directory_;
  std::unique_ptr<RocksStore> store_;
  uint64_t state_ = 1;
};

TEST_F(ClassBytesTest, AreExactIfAllRowsAreRead) {
  classify(2, 3, 1);
  classify(3, 4, kGone);
  for (ChunkNo chunk = 5; chunk < 8; ++chunk) fill(0, chunk, 0, 4, 100);
  const ClassBytes some = bytes(0, 6, 8, 8);
  EXPECT_EQ(some[0], 2 * 2 * (100 + kKeyBytes));
  EXPECT_EQ(some[1], 2 * (100 + kKeyBytes));
  EXPECT_EQ(some[kGone], 2 * (100 + kKeyBytes));
  EXPECT_EQ(bytes(0, 0, 5, 8), ClassBytes{});
  EXPECT_EQ(bytes(1, 0, 9, 8), ClassBytes{}) << "of the other tier";
  EXPECT_EQ(bytes(0, 7, 7, 8), ClassBytes{});
}

// The first 3000 series, of one class, have half of the rows and a third of the bytes.
TEST_F(ClassBytesTest, AreEstimatedFromASampleOfManyRows) {
  classify(0, 3000, 1);
  for (const ChunkNo chunk : {70'000U, 70'001U, 80'000U, 80'001U}) {
    fill(0, chunk, 0, 3000, 500);
    fill(0, chunk, 3000, 6000, 1000);
  }
  const auto ratio = [](const ClassBytes& of) {
    return static_cast<double>(of[1]) / static_cast<double>(of[0]);
  };
  EXPECT_NEAR(ratio(bytes(0, 0, 90'000, 500)), 0.5, 0.15) << "in memory, whose size RocksDB hardly knows";
  ASSERT_TRUE(store_->flush());
  const ClassBytes all = bytes(0, 0, 90'000, 500);
  EXPECT_NEAR(ratio(all), 0.5, 0.15);
  EXPECT_NEAR(static_cast<double>(all[0] + all[1]), 18e6, 1e6);
  EXPECT_LT(looks(16), 8U) << "one place";
  EXPECT_LT(looks(64), 16U) << "four places";
  EXPECT_LT(looks(2048), 300U);
  const ClassBytes half = bytes(0, 75'000, 90'000, 500);
  EXPECT_NEAR(ratio(half), 0.5, 0.15);
  EXPECT_NEAR(static_cast<double>(half[0] + half[1]), 9e6, 1e6);
}

// Half of the rows are of each class, but the newest chunk has a single one.
TEST_F(ClassBytesTest, AreEstimatedWhateverTheNewestChunkHas) {
  classify(0, 3000, 1);
  fill(0, 70'000, 0, 6000, 500);
  fill(0, 70'001, 0, 6000, 500);
  fill(0, 70'002, 0, 1, 500);
  ASSERT_TRUE(store_->flush());
  const ClassBytes all = bytes(0, 0, 90'000, 500);
  EXPECT_NEAR(static_cast<double>(all[1]) / static_cast<double>(all[0] + all[1]), 0.5, 0.15);
}

TEST_F(ClassBytesTest, AreWhatWasReadOnceItIsOver) {
  fill(0, 5, 0, 1000, 100);
  for (const uint64_t rows_max : {5000U, 500U}) {
    int looks = 0;
    const auto sizes = store_->class_bytes({{0, 0, 9}, rows_max, [&looks] { return ++looks > 2; }});
    ASSERT_TRUE(sizes);
    EXPECT_TRUE(sizes->are_least);
    EXPECT_EQ(sizes->bytes[0], 128 * (100 + kKeyBytes));
  }
}

}  // namespace
}  // namespace statmill
