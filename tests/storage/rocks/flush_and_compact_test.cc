#include "storage/rocks/flush_and_compact.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "storage/codec/frames.h"
#include "storage/files/files.h"
#include "tests/storage/rocks/stored_data.h"

namespace statmill {
namespace {

class FlushAndCompactTest : public StoredData {
 protected:
  void SetUp() override { fill(); }

  void compact() {
    std::atomic<bool> no{false};
    ASSERT_TRUE(store_->flush());
    const Status done = store_->compact(no, job_);
    ASSERT_TRUE(done) << done.error().message;
  }
  size_t frames_of(const ChunkKey& key) {
    const std::string value = *store_->snapshot()->chunk(key);
    size_t n = 0;
    for (FrameWalk walk(key, value); walk.next();) ++n;
    return n;
  }
  // Bytes in write-ahead logs.
  uint64_t log_bytes() const {
    uint64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(data() + "/db"))
      if (file.path().extension() == ".log") bytes += file.file_size();
    return bytes;
  }
};

TEST_F(FlushAndCompactTest, FlushedBuffersNeedNoLog) {
  ASSERT_GT(log_bytes(), 0U);
  ASSERT_TRUE(store_->flush());
  EXPECT_EQ(log_bytes(), 0U);
  EXPECT_EQ(content().size(), 2 * kSeries);
}

TEST_F(FlushAndCompactTest, CompactedChunksAreOneFrame) {
  ASSERT_EQ(frames_of({0, kChunk, 5}), 2U);
  const auto before = content();
  compact();
  EXPECT_EQ(frames_of({0, kChunk, 5}), 1U);
  EXPECT_EQ(content(), before);
}

TEST_F(FlushAndCompactTest, EachTierHasItsBytesOnDisk) {
  compact();
  const StoreStats stats = store_->stats();
  ASSERT_EQ(stats.tiers.size(), tiers_.stored_count());
  uint64_t bytes = 0;
  for (size_t i = 0; i < stats.tiers.size(); ++i) {
    EXPECT_EQ(stats.tiers[i].tier, i);
    EXPECT_EQ(stats.tiers[i].bytes_on_disk > 0, i < tiers_.count()) << "no series keeps detail";
    bytes += stats.tiers[i].bytes_on_disk;
  }
  EXPECT_LE(bytes, stats.bytes_on_disk);
}

// Returns the nice values of the threads of this process that have this name.
std::set<int> nice_values(std::string_view name) {
  std::set<int> out;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string comm;
    std::getline(std::ifstream(task.path() / "comm"), comm);
    if (comm != name) continue;
    out.insert(::getpriority(PRIO_PROCESS, static_cast<id_t>(std::stoul(task.path().filename()))));
  }
  return out;
}

TEST_F(FlushAndCompactTest, CompactionsGiveWayAndFlushesDoNot) {
  const int own = ::getpriority(PRIO_PROCESS, 0);
  compact();
  EXPECT_EQ(nice_values("rocksdb:low"), std::set<int>{std::max(own, 12)});
  EXPECT_EQ(nice_values("rocksdb:high"), std::set<int>{own});
}

TEST_F(FlushAndCompactTest, RewrittenFilesAreDeleted) {
  for (TickNo tick = 3; tick < 8; ++tick) {
    StoreBatch batch;
    batch.tick = tick;
    for (SeriesId id = 0; id < kSeries; ++id)
      batch.fragments.push_back({{0, kChunk, id}, frames({0, kChunk, id}, static_cast<Slot>(tick), 1)});
    write(batch);
    ASSERT_TRUE(store_->flush());
  }
  compact();
  const uint64_t compacted = directory_bytes(data());
  close();
  open();
  compact();
  EXPECT_NEAR(static_cast<double>(directory_bytes(data())), static_cast<double>(compacted),
              static_cast<double>(compacted) / 10)
      << "a restart finds nothing to delete";
}

TEST_F(FlushAndCompactTest, ACompactionCanBeCancelled) {
  std::atomic<bool> yes{true};
  const Status given_up = store_->compact(yes, job_);
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code, ErrorCode::kUnavailable);
  StoreBatch batch;
  batch.tick = 3;
  batch.journal.push_back({3, journal_row(3)});
  write(batch);
}

}  // namespace
}  // namespace statmill
