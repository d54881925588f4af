#include "storage/rocks/rocks_store.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "storage/files/data_directory.h"
#include "storage/keys.h"
#include "storage/rocks/chunk_merge.h"
#include "storage/rocks/rocks_database.h"
#include "tests/storage/buckets.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

Tiers tiers(std::string_view text = "10s:1d,5m:1y") { return *Tiers::parse(text); }

// Returns every file under a directory with its content, to show that nothing was changed.
std::map<std::string, std::string> files(const fs::path& directory) {
  std::map<std::string, std::string> out;
  for (const auto& file : fs::recursive_directory_iterator(directory)) {
    std::ifstream in(file.path(), std::ios::binary);
    out[file.path()] =
        file.is_directory() ? "a directory" : std::string(std::istreambuf_iterator<char>(in), {});
  }
  return out;
}

class RocksStoreTest : public testing::Test {
 protected:
  Result<std::unique_ptr<RocksStore>> try_open(const Tiers& t = tiers()) {
    RocksOptions options;
    options.path = path_;
    return RocksStore::open(options, t);
  }
  void open(const Tiers& t = tiers()) {
    store_.reset();
    auto opened = try_open(t);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }
  void expect_refused(ErrorCode code, std::string_view said, const Tiers& t = tiers()) {
    const auto before = files(directory_.path());
    const auto opened = try_open(t);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, code) << opened.error().message;
    EXPECT_NE(opened.error().message.find(said), std::string::npos) << opened.error().message;
    EXPECT_NE(opened.error().message.find(path_.string()), std::string::npos) << opened.error().message;
    EXPECT_EQ(files(directory_.path()), before);
  }
  void write(const StoreBatch& batch) {
    const Status status = store_->write(batch);
    ASSERT_TRUE(status) << status.error().message;
  }
  std::string bucket_frames(const ChunkKey& key, Slot offset, int64_t value) {
    const Slot first = Slot{key.chunk} * tiers()[key.tier].chunk_slots;
    const SlotBucket bucket{first + offset, Bucket::of(Number::decimal(value, 0))};
    return encode_buckets(key, first, Combine::kMerge, {&bucket, 1});
  }
  void write_frames(const ChunkKey& key, std::string frames) {
    StoreBatch batch;
    batch.fragments.push_back({key, std::move(frames)});
    write(batch);
  }
  DecodedChunk chunk(const ChunkKey& key) {
    const int64_t slots = tiers()[key.tier].chunk_slots;
    return decode_chunk(key, Slot{key.chunk} * slots, slots, *store_->snapshot()->chunk(key));
  }
  // Closes the store and changes its database with RocksDB alone.
  void with_database(
      const std::function<void(rocksdb::DB&, const std::vector<rocksdb::ColumnFamilyHandle*>&)>& act) {
    store_.reset();
    auto database = RocksDatabase::open(path_ / "db", {}, tiers());
    ASSERT_TRUE(database) << database.error().message;
    act((*database)->db(), {(*database)->meta(), (*database)->series(), (*database)->journal(),
                            (*database)->tier(0), (*database)->tier(1)});
  }
  void compact_all() {
    with_database([](rocksdb::DB& db, const auto& families) {
      for (rocksdb::ColumnFamilyHandle* family : families) {
        rocksdb::CompactRangeOptions options;
        options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
        ASSERT_TRUE(db.Flush({}, family).ok());
        ASSERT_TRUE(db.CompactRange(options, family, nullptr, nullptr).ok());
      }
    });
    open();
  }

  TempDirectory directory_;
  const fs::path path_ = directory_.path() / "data";
  std::unique_ptr<RocksStore> store_;
};

TEST_F(RocksStoreTest, ABatchIsWholeAfterReopening) {
  open();
  const ChunkKey key{0, 3, 9};
  StoreBatch batch;
  batch.series = {{1, Kind::kEvent, "name"}};
  batch.journal = {{7, "row"}};
  batch.fragments = {{key, bucket_frames(key, 0, 5)}};
  batch.flushed = {{2, 7, "activity"}};
  batch.rollup_position = RollupPosition{3, 4};
  write(batch);
  open();
  std::vector<std::string> seen;
  ASSERT_TRUE(store_->load({
      [&](const SeriesRow& series) {
        seen.push_back(series.name);
        return Status::ok();
      },
      [&](ShardNo shard, TickNo tick, std::string_view activity) {
        if (shard == 2) seen.push_back(std::to_string(tick) + std::string(activity));
        return Status::ok();
      },
      [&](TickNo, std::string_view row) {
        seen.emplace_back(row);
        return Status::ok();
      },
      [](SeriesId) { return Status::ok(); },
  }));
  EXPECT_EQ(seen, (std::vector<std::string>{"7activity", "name", "row"}));
  EXPECT_EQ(chunk(key).buckets.at(0).bucket.sum(), 5);
  EXPECT_EQ(*store_->snapshot()->rollup_position(), (RollupPosition{3, 4}));
}

// Cuts the log in the middle of its last batch, as a power cut does: none of that batch may be visible.
TEST_F(RocksStoreTest, ATornBatchIsDroppedWholeAndEarlierOnesStay) {
  open();
  const ChunkKey key{0, 3, 9};
  write_frames(key, bucket_frames(key, 0, 1));
  StoreBatch torn;
  torn.fragments = {{key, bucket_frames(key, 0, 2)}, {{1, 3, 9}, bucket_frames({1, 3, 9}, 0, 2)}};
  torn.flushed = {{0, 5, std::string(1000, 'a')}};
  write(torn);
  store_.reset();
  for (const auto& file : fs::directory_iterator(path_ / "db")) {
    if (file.path().extension() == ".log" && file.file_size() > 500)
      fs::resize_file(file.path(), file.file_size() - 500);
  }
  open();
  EXPECT_EQ(chunk(key).buckets.at(0).bucket.sum(), 1);
  EXPECT_TRUE(chunk({1, 3, 9}).buckets.empty());
  EXPECT_EQ(*store_->snapshot()->flushed_tick(0), 0U);
}

TEST_F(RocksStoreTest, TrimmedRowsAreDeletedNotJustHidden) {
  open();
  for (TickNo tick = 1; tick <= 5; ++tick) {
    StoreBatch batch;
    batch.journal = {{tick, "row"}};
    write(batch);
  }
  StoreBatch batch;
  batch.journal_trim = {0, 4};
  write(batch);
  with_database([](rocksdb::DB& db, const auto& families) {
    const std::unique_ptr<rocksdb::Iterator> row(db.NewIterator({}, families[2]));
    row->Seek(journal_key(1));
    ASSERT_TRUE(row->Valid());
    EXPECT_EQ(row->key().ToStringView(), journal_key(4));
  });
}

TEST_F(RocksStoreTest, ALogDamagedInTheMiddleIsRefused) {
  open();
  for (TickNo tick = 1; tick < 100; ++tick) {
    StoreBatch batch;
    batch.journal = {{tick, std::string(1000, 'x')}};
    write(batch);
  }
  store_.reset();
  for (const auto& file : fs::directory_iterator(path_ / "db")) {
    if (file.path().extension() != ".log" || file.file_size() < 50'000) continue;
    std::fstream log(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    log.seekp(40'000);
    log.put('y');
  }
  const auto opened = try_open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt) << opened.error().message;
}

TEST_F(RocksStoreTest, CompactionKeepsTheMeaningAndMakesOneFrame) {
  open();
  const ChunkKey key{0, 3, 9};
  std::string written;
  for (Slot offset = 0; offset < 60; ++offset) {
    const std::string frames = bucket_frames(key, offset % 40, offset);
    written += frames;
    write_frames(key, frames);
  }
  const Slot first = 3 * tiers()[0].chunk_slots;
  const CompactedChunk expected = compact_chunk(key, first, tiers()[0].chunk_slots, written, true);
  EXPECT_EQ(*store_->snapshot()->chunk(key), written);  // readers concatenate, they do not encode again
  compact_all();
  EXPECT_EQ(*store_->snapshot()->chunk(key), expected.value);
  write_frames(key, bucket_frames(key, 50, 7));
  compact_all();
  EXPECT_EQ(chunk(key).buckets.size(), 41U);
  EXPECT_EQ(store_->stats().damaged_frames, 0U);
}

// A flush merges the fragments in its buffer without knowing those in older files.
TEST_F(RocksStoreTest, AnEraseReachesOlderFilesThroughAPartialMerge) {
  open();
  const ChunkKey key{0, 3, 9};
  const Slot first = 3 * tiers()[0].chunk_slots;
  write_frames(key, bucket_frames(key, 0, 1));
  compact_all();
  write_frames(key, encode_erase(key, first, first, first + 1));
  write_frames(key, bucket_frames(key, 0, 5));
  with_database([](rocksdb::DB& db, const auto& families) { ASSERT_TRUE(db.Flush({}, families[3]).ok()); });
  open();
  EXPECT_EQ(chunk(key).buckets.at(0).bucket.sum(), 5);
}

TEST_F(RocksStoreTest, DamagedFramesAreCountedAndTheStoreStaysWritable) {
  open();
  const ChunkKey key{0, 3, 9};
  std::string damaged = bucket_frames(key, 0, 1);
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  write_frames(key, bucket_frames(key, 1, 2));
  write_frames(key, damaged);
  write_frames(key, "torn");
  compact_all();
  write_frames(key, bucket_frames(key, 2, 3));
  const DecodedChunk decoded = chunk(key);
  EXPECT_EQ(decoded.damaged_frames, 2U);
  EXPECT_EQ(decoded.buckets.size(), 2U);
  compact_all();
  write_frames({0, 4, 1}, bucket_frames({0, 4, 1}, 0, 1));
  EXPECT_EQ(chunk({0, 4, 1}).buckets.size(), 1U);
}

TEST_F(RocksStoreTest, MergesCountTheDamagedFramesTheyCarry) {
  const ChunkKey key{0, 3, 9};
  std::string damaged = bucket_frames(key, 0, 1);
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  const std::string sound = bucket_frames(key, 1, 2);
  std::atomic<uint64_t> count = 0;
  const ChunkMerge merge(0, tiers()[0].chunk_slots, count);
  std::string value;
  EXPECT_TRUE(merge.PartialMergeMulti(chunk_key(3, 9), {damaged, sound}, &value, nullptr));
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(value.substr(0, damaged.size()), damaged);
}

TEST_F(RocksStoreTest, ExpiryOfCompactedChunksFreesDiskSpace) {
  open();
  for (ChunkNo number = 1; number <= 4; ++number) {
    for (SeriesId id = 0; id < 200; ++id) {
      const ChunkKey key{0, number, id};
      std::string frames;
      for (Slot offset = 0; offset < 20; ++offset) frames += bucket_frames(key, offset, offset * id);
      write_frames(key, frames);
    }
  }
  compact_all();
  const uint64_t before = store_->stats().bytes_on_disk;
  ASSERT_TRUE(store_->expire(0, 4));
  std::atomic<bool> cancelled{false};
  ASSERT_TRUE(store_->reclaim(cancelled));
  EXPECT_LT(store_->stats().bytes_on_disk, before / 2);
  EXPECT_EQ(*store_->snapshot()->oldest_chunk(0), std::optional<ChunkNo>(4));
  open();
  EXPECT_EQ(*store_->snapshot()->oldest_chunk(0), std::optional<ChunkNo>(4));
}

TEST_F(RocksStoreTest, ASecondOpenIsBusy) {
  open();
  const auto opened = try_open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kBusy);
  EXPECT_EQ(opened.error().message, "data directory " + path_.string() + " is in use by another process");
  write_frames({0, 1, 1}, bucket_frames({0, 1, 1}, 0, 1));
}

TEST_F(RocksStoreTest, AnEmptyDirectoryBecomesAStoreAndOpensAgain) {
  fs::create_directories(path_ / "lost+found");
  open();
  open();
  EXPECT_TRUE(fs::exists(path_ / "FORMAT"));
}

TEST_F(RocksStoreTest, AForeignDirectoryIsRefusedUnchanged) {
  directory_.write("data/letters/one.txt", "dear");
  expect_refused(ErrorCode::kInvalid, "not a data directory of statmill");
}

TEST_F(RocksStoreTest, AForeignDatabaseIsRefusedUnchanged) {
  fs::create_directories(path_);
  rocksdb::DB* db = nullptr;
  rocksdb::Options options;
  options.create_if_missing = true;
  ASSERT_TRUE(rocksdb::DB::Open(options, path_, &db).ok());
  const std::unique_ptr<rocksdb::DB> owned(db);
  ASSERT_TRUE(owned->Close().ok());
  expect_refused(ErrorCode::kInvalid, "not a data directory of statmill");
}

TEST_F(RocksStoreTest, AForeignFormatFileIsRefusedUnchanged) {
  directory_.write("data/FORMAT", "something else\n");
  expect_refused(ErrorCode::kInvalid, "FORMAT is not statmill's");
}

TEST_F(RocksStoreTest, AnotherVersionIsRefusedUnchanged) {
  open();
  store_.reset();
  for (const std::string version : {"0.9", "2.6", "2.99", "3.0", "20.0", "2x.0", ""}) {
    directory_.write("data/FORMAT", "statmill store " + version + "\nsteps 10s,5m\n");
    expect_refused(ErrorCode::kVersion,
                   "it has format version " + version + ", this program reads 1.0 to 2.5");
  }
}

TEST_F(RocksStoreTest, AnOlderVersionIsReadAndRaisedByTheFirstWrite) {
  open();
  write_frames({0, 1, 1}, bucket_frames({0, 1, 1}, 0, 1));
  store_.reset();
  const std::string older = "statmill store 1.0\nsteps 10s,5m\n";
  directory_.write("data/FORMAT", older);
  open();
  EXPECT_EQ(*read_format(path_.string()), older) << "an older program may still use it";
  EXPECT_FALSE(store_->snapshot()->chunk({0, 1, 1})->empty());
  write_frames({0, 1, 2}, bucket_frames({0, 1, 2}, 0, 1));
  EXPECT_EQ(*read_format(path_.string()), "statmill store 2.5\nsteps 10s,5m\n");
}

TEST_F(RocksStoreTest, ASeriesRowIsTheKindAndTheName) {
  open();
  StoreBatch batch;
  for (SeriesId id = 0; id < 4; ++id) batch.series.push_back({id, static_cast<Kind>(id), "name"});
  write(batch);
  with_database([](rocksdb::DB& db, const auto& families) {
    std::string rows;
    const std::unique_ptr<rocksdb::Iterator> row(db.NewIterator({}, families[1]));
    for (row->SeekToFirst(); row->Valid(); row->Next()) rows += row->value().ToString();
    EXPECT_EQ(rows, std::string("\0name\1name\2name\3name", 20));
    ASSERT_TRUE(db.Put({}, families[1], std::string("\0\0\0\5", 4), "\4x").ok());
  });
  open();
  const auto ok = [](auto&&...) { return Status::ok(); };
  EXPECT_EQ(store_->load({ok, ok, ok, ok}).error().code, ErrorCode::kCorrupt) << "a kind of a later version";
}

TEST_F(RocksStoreTest, OtherStepsAreRefusedUnchangedButNotOtherRetention) {
  open();
  store_.reset();
  expect_refused(ErrorCode::kInvalid, "created with tier steps 10s,5m, but the configured steps are 10s,1h",
                 tiers("10s:1d,1h:1y"));
  expect_refused(ErrorCode::kInvalid, "steps may not", tiers("10s:1d,5m:1y,1h:1y"));
  open(tiers("10s:2d,5m:2y"));
}

// RocksDB would create a new database and delete the files that it does not know.
TEST_F(RocksStoreTest, ADatabaseWithoutItsCurrentFileIsRefusedUnchanged) {
  open();
  store_.reset();
  fs::remove(path_ / "db" / "CURRENT");
  expect_refused(ErrorCode::kCorrupt, "lost the file CURRENT");
}

TEST_F(RocksStoreTest, ADirectoryThatCannotBeCreatedIsAnIoError) {
  directory_.write("data", "a file");
  expect_refused(ErrorCode::kIo, "create");
}

TEST(Keys, SortLikeTheirNumbers) {
  EXPECT_LT(chunk_key(1, 300), chunk_key(2, 1));
  EXPECT_LT(chunk_key(255, 0), chunk_key(256, 0));
  EXPECT_LT(journal_key(255), journal_key(256));
  EXPECT_LT(series_key(255), series_key(256));
  EXPECT_EQ(parse_chunk_key(2, chunk_key(5, 6)), (ChunkKey{2, 5, 6}));
  EXPECT_EQ(parse_chunk_key(2, "short"), std::nullopt);
  EXPECT_EQ(parse_journal_key(series_key(1)), std::nullopt);
  EXPECT_EQ(parse_series_key(chunk_key(1, 2)), std::nullopt);
}

}  // namespace
}  // namespace statmill
