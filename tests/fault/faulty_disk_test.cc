#include "tests/fault/faulty_disk.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <set>

#include "tests/fault/fault_file_system.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

class FaultyDiskTest : public testing::Test {
 protected:
  FaultyDiskTest() {
    fs::create_directory(root_);
    fs::create_directory(directory_.path() / "scratch");
  }

  fs::path path(const std::string& name) const { return root_ / name; }
  std::unique_ptr<rocksdb::FSWritableFile> create(const std::string& name) {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    EXPECT_TRUE(files_.NewWritableFile(path(name), {}, &file, nullptr).ok());
    return file;
  }
  static rocksdb::IOStatus append(rocksdb::FSWritableFile& file, const std::string& text) {
    return file.Append(text, {}, nullptr);
  }
  static bool sync(rocksdb::FSWritableFile& file) { return file.Sync({}, nullptr).ok(); }
  bool sync_directory() { return disk_->sync_directory(root_) == 0; }
  void write_durably(const std::string& name, const std::string& text) {
    const auto file = create(name);
    EXPECT_TRUE(append(*file, text).ok() && sync(*file) && sync_directory());
  }
  std::string content(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return in ? std::string(std::istreambuf_iterator<char>(in), {}) : "no file";
  }
  // Returns the contents that are possible after a power cut, from many cuts of the same history.
  std::set<std::string> contents_after_cuts(const std::string& name, const std::function<void()>& history) {
    std::set<std::string> out;
    for (int i = 0; i < 50; ++i) {
      for (const auto& file : fs::directory_iterator(root_)) fs::remove(file);
      history();
      disk_->cut_power();
      disk_->restore_power(random_);
      out.insert(content(name));
    }
    return out;
  }

  TempDirectory directory_;
  const fs::path root_ = directory_.path() / "root";
  std::shared_ptr<FaultyDisk> disk_ = std::make_shared<FaultyDisk>(directory_.path() / "scratch");
  FaultFileSystem files_{disk_};
  std::mt19937_64 random_{1};
};

using Contents = std::set<std::string>;

TEST_F(FaultyDiskTest, FailsTheNthCallOnceOrAllFromItOn) {
  const auto file = create("a");
  disk_->fail({DiskOp::kSync, 2});
  EXPECT_TRUE(sync(*file));
  EXPECT_FALSE(sync(*file));
  EXPECT_TRUE(sync(*file));
  disk_->fail({DiskOp::kSync, 2, true});
  EXPECT_TRUE(sync(*file));
  EXPECT_FALSE(sync(*file));
  EXPECT_FALSE(sync(*file));
  disk_->heal();
  EXPECT_TRUE(sync(*file));
  EXPECT_EQ(disk_->calls(DiskOp::kSync), 7U);
  EXPECT_EQ(disk_->failures(), 3U);
}

TEST_F(FaultyDiskTest, ReturnsTheErrorsOfRocksDbsFileSystem) {
  const auto file = create("a");
  disk_->fail({DiskOp::kAppend, 1, false, ENOSPC});
  const rocksdb::IOStatus full = append(*file, "12345678");
  EXPECT_TRUE(full.IsNoSpace());
  EXPECT_TRUE(full.GetRetryable());
  EXPECT_EQ(content("a"), "1234") << "half of it is written";
  disk_->make_read_only();
  const rocksdb::IOStatus read_only = append(*file, "x");
  EXPECT_TRUE(read_only.IsIOError());
  EXPECT_FALSE(read_only.GetRetryable());
}

TEST_F(FaultyDiskTest, AFullDiskWritesWhatFitsAndUnlinksFreeSpace) {
  const auto file = create("a");
  disk_->limit_space(5);
  EXPECT_TRUE(append(*file, "123").ok());
  EXPECT_TRUE(append(*file, "456").IsNoSpace());
  EXPECT_EQ(content("a"), "12345");
  EXPECT_TRUE(files_.DeleteFile(path("a"), {}, nullptr).ok());
  const auto next = create("b");
  EXPECT_TRUE(append(*next, "abcde").ok());
}

TEST_F(FaultyDiskTest, APowerCutKeepsSyncedBytesAndAnyPartOfTheRest) {
  const Contents left = contents_after_cuts("a", [&] {
    write_durably("a", "1");
    std::unique_ptr<rocksdb::FSWritableFile> file;
    ASSERT_TRUE(files_.ReopenWritableFile(path("a"), {}, &file, nullptr).ok());
    ASSERT_TRUE(append(*file, "23").ok());
  });
  EXPECT_EQ(left, (Contents{"1", "12", "123", std::string("1\0", 2), std::string("1\0\0", 3)}));
}

TEST_F(FaultyDiskTest, AfterAFailedSyncItsBytesNeverBecomeDurable) {
  const Contents left = contents_after_cuts("a", [&] {
    const auto file = create("a");
    ASSERT_TRUE(append(*file, "1").ok() && sync(*file) && sync_directory());
    ASSERT_TRUE(append(*file, "2").ok());
    disk_->fail({DiskOp::kSync});
    ASSERT_FALSE(sync(*file));
    ASSERT_TRUE(sync(*file)) << "the kernel reports success";
  });
  EXPECT_EQ(left, (Contents{"1", "12", std::string("1\0", 2)}));
}

TEST_F(FaultyDiskTest, NamesAreDurableOnlyWithTheirDirectory) {
  EXPECT_EQ(contents_after_cuts("a",
                                [&] {
                                  const auto file = create("a");
                                  ASSERT_TRUE(append(*file, "1").ok() && sync(*file));
                                }),
            (Contents{"1", "no file"}));
  EXPECT_EQ(contents_after_cuts("a",
                                [&] {
                                  write_durably("a", "1");
                                  ASSERT_TRUE(files_.DeleteFile(path("a"), {}, nullptr).ok());
                                }),
            (Contents{"1", "no file"}));
  EXPECT_EQ(contents_after_cuts("a",
                                [&] {
                                  write_durably("a", "1");
                                  write_durably("b", "2");
                                  ASSERT_TRUE(files_.RenameFile(path("b"), path("a"), {}, nullptr).ok());
                                }),
            (Contents{"1", "2"}));
  EXPECT_EQ(contents_after_cuts("a",
                                [&] {
                                  write_durably("a", "1");
                                  write_durably("b", "2");
                                  ASSERT_TRUE(files_.RenameFile(path("b"), path("a"), {}, nullptr).ok());
                                  ASSERT_TRUE(sync_directory());
                                }),
            (Contents{"2"}));
}

TEST_F(FaultyDiskTest, WithoutPowerNothingWorks) {
  const auto file = create("a");
  disk_->cut_power_at(2);
  EXPECT_TRUE(append(*file, "1").ok());
  EXPECT_FALSE(append(*file, "2").ok());
  EXPECT_FALSE(disk_->has_power());
  EXPECT_FALSE(sync(*file));
  EXPECT_NE(disk_->open(), 0);
  disk_->restore_power(random_);
  EXPECT_TRUE(disk_->has_power());
  EXPECT_EQ(disk_->open(), 0);
}

}  // namespace
}  // namespace statmill
