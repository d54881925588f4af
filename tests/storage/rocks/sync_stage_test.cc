// Syncs of files count as a stage of their own, and nothing else that happens to a file does.
#include "storage/rocks/sync_stage.h"

#include <gtest/gtest.h>

#include "base/stage.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

class SyncStage : public testing::Test {
 protected:
  void SetUp() override {
    stage_times.turn_on();
    ASSERT_TRUE(files_->NewWritableFile(directory_.path() / "log", {}, &file_, nullptr).ok());
  }
  void TearDown() override { stage_times.turn_off(); }
  static uint64_t synced_ns() { return stage_times.cpu_ns(Stage::kSync); }

  const TempDirectory directory_;
  const std::shared_ptr<rocksdb::FileSystem> files_ = with_sync_stage(rocksdb::FileSystem::Default());
  std::unique_ptr<rocksdb::FSWritableFile> file_;
};

TEST_F(SyncStage, HasSyncsOfFiles) {
  const uint64_t before = synced_ns();
  ASSERT_TRUE(file_->Append("some bytes", {}, nullptr).ok());
  EXPECT_EQ(synced_ns(), before);
  ASSERT_TRUE(file_->Sync({}, nullptr).ok());
  const uint64_t once = synced_ns();
  EXPECT_GT(once, before);
  ASSERT_TRUE(file_->Fsync({}, nullptr).ok());
  EXPECT_GT(synced_ns(), once);
}

TEST_F(SyncStage, LeavesTheFileAsItIs) {
  ASSERT_TRUE(file_->Append("some bytes", {}, nullptr).ok());
  ASSERT_TRUE(file_->Close({}, nullptr).ok());
  uint64_t bytes = 0;
  ASSERT_TRUE(files_->GetFileSize(directory_.path() / "log", {}, &bytes, nullptr).ok());
  EXPECT_EQ(bytes, 10U);
  EXPECT_FALSE(files_->NewWritableFile(directory_.path() / "no/log", {}, &file_, nullptr).ok());
}

}  // namespace
}  // namespace statmill
