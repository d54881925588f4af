#include "storage/rocks/store_counters.h"

#include <gtest/gtest.h>

#include <future>

#include "storage/files/data_directory.h"
#include "storage/rocks/rocks_database.h"
#include "tests/storage/rocks/stored_data.h"

namespace statmill {
namespace {

class StoreCountersTest : public StoredData {
 protected:
  // Opens a store whose database the test can change.
  void open_database(const std::unordered_map<std::string, std::string>& tier_options) {
    RocksOptions options;
    options.path = data();
    options.sync = false;
    options.expiry = std::make_shared<Expiry>();
    options.counters = std::make_shared<StoreCounters>();
    const auto path = prepare_data_directory(options.path, tiers_);
    ASSERT_TRUE(path) << path.error().message;
    auto opened = RocksDatabase::open(*path, options, tiers_);
    ASSERT_TRUE(opened) << opened.error().message;
    database_ = opened->get();
    store_ =
        std::make_unique<RocksStore>(options, tiers_, *path, RocksStore::Opened{std::move(*opened), 0, {}});
    if (tier_options.empty()) return;
    ASSERT_TRUE(database_->db().SetOptions(database_->tier(0), tier_options).ok());
  }
  void write_fragment() {
    StoreBatch batch;
    batch.fragments.push_back({{0, kChunk, 5}, frames({0, kChunk, 5}, offset_++, 7)});
    write(batch);
  }
  // Fills so many write buffers, which are not flushed before the database goes on with its background work.
  void fill_buffers(int count) {
    ASSERT_TRUE(database_->db().PauseBackgroundWork().ok());
    rocksdb::FlushOptions options;
    options.wait = false;
    options.allow_write_stall = true;
    for (int i = 0; i < count; ++i) {
      write_fragment();
      ASSERT_TRUE(database_->db().Flush(options, database_->tier(0)).ok());
    }
  }
  void flush_buffers() { ASSERT_TRUE(database_->db().ContinueBackgroundWork().ok()); }
  void compact_tier() {
    ASSERT_TRUE(database_->db().CompactRange({}, database_->tier(0), nullptr, nullptr).ok());
  }
  // Bytes of the files of the database with this ending.
  uint64_t bytes_of(std::string_view ending) const {
    uint64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(data() + "/db")) {
      if (file.path().extension() == ending) bytes += file.file_size();
    }
    return bytes;
  }

  RocksDatabase* database_ = nullptr;
  Slot offset_ = 0;
};

constexpr int kTries = 1000;

TEST_F(StoreCountersTest, WrittenBytesAreThoseOfTheFiles) {
  fill();
  const WrittenBytes logged = store_->stats().written;
  EXPECT_EQ(logged.flush + logged.compaction, 0U);
  EXPECT_LE(logged.log, bytes_of(".log"));
  EXPECT_GE(logged.log, bytes_of(".log") * 99 / 100) << "all but the headers of the log's records";
  ASSERT_TRUE(store_->flush());
  const WrittenBytes flushed = store_->stats().written;
  EXPECT_GE(flushed.flush, bytes_of(".sst"));
  EXPECT_LE(flushed.flush, bytes_of(".sst") + 4096) << "and the names of the files in the manifest";
  EXPECT_EQ(flushed.log, logged.log);
  EXPECT_EQ(flushed.compaction, 0U);
  std::atomic<bool> no{false};
  ASSERT_TRUE(store_->compact(no, job_));
  const WrittenBytes compacted = store_->stats().written;
  EXPECT_GE(compacted.compaction, bytes_of(".sst")) << "each file was made once from the flushed ones";
  EXPECT_LE(compacted.compaction, bytes_of(".sst") + 4096);
  EXPECT_EQ(compacted.flush, flushed.flush);
}

TEST_F(StoreCountersTest, TheBytesOfTheDatabaseAreThoseOfItsFiles) {
  fill();
  const StoreStats before = store_->stats();
  EXPECT_EQ(before.database.log, bytes_of(".log"));
  EXPECT_EQ(before.database.files, 0U);
  ASSERT_TRUE(store_->flush());
  const auto reader = store_->snapshot();
  ASSERT_TRUE(reader->last_tick());
  const StoreStats flushed = store_->stats();
  EXPECT_EQ(flushed.database.files, bytes_of(".sst"));
  EXPECT_EQ(flushed.database.obsolete, 0U);
  EXPECT_GT(flushed.database.live, 0U);
  EXPECT_LE(flushed.database.live, flushed.database.files);
  EXPECT_EQ(flushed.bytes_on_disk, flushed.database.files + flushed.database.log);
}

TEST_F(StoreCountersTest, FilesThatAReaderHoldsAreObsolete) {
  open_database({});
  write_fragment();
  ASSERT_TRUE(store_->flush());
  const std::unique_ptr<rocksdb::Iterator> reader(database_->db().NewIterator({}, database_->tier(0)));
  reader->SeekToFirst();
  const uint64_t held = database_->tier_bytes(0);
  write_fragment();
  ASSERT_TRUE(store_->flush());
  const uint64_t second = database_->tier_bytes(0) - held;
  compact_tier();
  EXPECT_EQ(store_->stats().database.obsolete, held) << "the second file was deleted: " << second;
}

TEST_F(StoreCountersTest, LookupsOfBlocksHitOrMiss) {
  fill();
  ASSERT_TRUE(store_->flush());
  open();  // with an empty cache
  const CacheLookups opened = store_->stats().cache;
  ASSERT_TRUE(store_->snapshot()->chunk({0, kChunk, 5}));
  const CacheLookups first = store_->stats().cache;
  EXPECT_GT(first.misses, opened.misses);
  // Threads of the store may read something, too, but not in each of many tries.
  CacheLookups before = first;
  CacheLookups second = first;
  for (int i = 0; i < kTries && (i == 0 || second.misses != before.misses); ++i) {
    before = store_->stats().cache;
    ASSERT_TRUE(store_->snapshot()->chunk({0, kChunk, 5}));
    second = store_->stats().cache;
  }
  EXPECT_EQ(second.misses, before.misses);
  EXPECT_GT(second.hits, before.hits);
}

TEST_F(StoreCountersTest, SlowedWritesAreSeenAndTimed) {
  open_database({{"max_write_buffer_number", "5"}});
  fill_buffers(3);
  EXPECT_EQ(store_->stall_state(), StallState::kNone);
  EXPECT_EQ(store_->stats().stalls.time.count(), 0);
  fill_buffers(1);
  EXPECT_EQ(store_->stall_state(), StallState::kSlowed);
  EXPECT_EQ(store_->stats().stalls.slowdowns, 1U);
  StoreBatch large;  // the next write waits for it, at 16 MB/s
  large.tick = 1;
  large.journal.push_back({1, std::string(2'000'000, 'x')});
  write(large);
  write_fragment();
  EXPECT_GT(store_->stats().stalls.time.count(), 0);
  flush_buffers();
  flush_buffers();
  ASSERT_TRUE(store_->flush());
  EXPECT_EQ(store_->stall_state(), StallState::kNone);
  EXPECT_EQ(store_->stats().stalls.slowdowns, 1U);
  EXPECT_EQ(store_->stats().stalls.stops, 0U);
}

TEST_F(StoreCountersTest, AStoppedWriteIsSeenWhileItWaits) {
  open_database({});
  fill_buffers(3);
  EXPECT_EQ(store_->stats().stalls.stops, 1U);
  auto waits = std::async(std::launch::async, [this] { write_fragment(); });
  EXPECT_EQ(waits.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  EXPECT_EQ(store_->stall_state(), StallState::kStopped);
  flush_buffers();
  waits.get();
  ASSERT_TRUE(store_->flush());
  EXPECT_EQ(store_->stall_state(), StallState::kNone);
  EXPECT_GE(store_->stats().stalls.time, std::chrono::milliseconds(10));
}

rocksdb::WriteStallInfo change(const char* family, rocksdb::WriteStallCondition before,
                               rocksdb::WriteStallCondition now) {
  rocksdb::WriteStallInfo info;
  info.cf_name = family;
  info.condition.prev = before;
  info.condition.cur = now;
  return info;
}

TEST(StallListener, SumsUpFamiliesWhateverTheOrderOfTheirChanges) {
  using enum rocksdb::WriteStallCondition;
  const auto counters = std::make_shared<StoreCounters>();
  StallListener listener(counters);
  listener.OnStallConditionsChanged(change("a", kNormal, kDelayed));
  listener.OnStallConditionsChanged(change("b", kNormal, kDelayed));
  listener.OnStallConditionsChanged(change("b", kStopped, kNormal));  // it comes before the next one
  listener.OnStallConditionsChanged(change("b", kDelayed, kStopped));
  EXPECT_EQ(counters->stall_state(), StallState::kSlowed) << "a is";
  listener.OnStallConditionsChanged(change("a", kDelayed, kNormal));
  EXPECT_EQ(counters->stall_state(), StallState::kNone);
  EXPECT_EQ(counters->stalls().slowdowns, 2U);
  EXPECT_EQ(counters->stalls().stops, 1U);
}

TEST(StallListener, ADatabaseMayOpenStalledAndCloseStalled) {
  using enum rocksdb::WriteStallCondition;
  const auto counters = std::make_shared<StoreCounters>();
  std::optional<StallListener> listener(std::in_place, counters);
  listener->note_opened(StallState::kSlowed);
  EXPECT_EQ(counters->stall_state(), StallState::kSlowed);
  listener->OnStallConditionsChanged(change("a", kDelayed, kNormal));
  EXPECT_EQ(counters->stall_state(), StallState::kNone);
  listener->OnStallConditionsChanged(change("a", kNormal, kStopped));
  EXPECT_EQ(counters->stall_state(), StallState::kStopped);
  listener.reset();
  EXPECT_EQ(counters->stall_state(), StallState::kNone);
  EXPECT_EQ(counters->stalls().slowdowns, 1U);
}

}  // namespace
}  // namespace statmill
