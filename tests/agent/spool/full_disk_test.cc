// A spool on a disk that is really full: a tmpfs of a few pages, mounted for this test.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>

#include "agent/spool/disk_directory.h"
#include "tests/agent/spool/spool_words.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

class SpoolOnAFullDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (::mount("none", temp_.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
      GTEST_SKIP() << "cannot mount a tmpfs: " << std::strerror(errno);
    }
    is_mounted_ = true;
    reopen();
  }
  void TearDown() override {
    spool_.reset();
    directory_.reset();
    if (is_mounted_) {
      EXPECT_EQ(::umount(temp_.path().c_str()), 0);
    }
  }
  void reopen() {
    spool_.reset();
    directory_.reset();
    auto directory = DiskDirectory::open(temp_.path());
    ASSERT_TRUE(directory) << directory.error().message;
    directory_ = std::move(*directory);
    spool_ = open_spool(*directory_, {.segment_bytes = 32 << 10}, *directory_->location());
    ASSERT_NE(spool_, nullptr);
  }
  Status add() {
    spool_->append(numbered_lines(spool_->lines(), 50), at_second(0));
    return spool_->sync();
  }

  TempDirectory temp_;
  bool is_mounted_ = false;
  std::unique_ptr<DiskDirectory> directory_;
  std::unique_ptr<Spool> spool_;
};

TEST_F(SpoolOnAFullDisk, ContinuesInMemoryAndCatchesUpOnceThereIsRoom) {
  Status status;
  temp_.write("ballast", std::string(100 << 10, 'x'));
  for (int i = 0; i < 10'000 && status; ++i) status = add();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("No space left on device"), std::string::npos)
      << status.error().message;
  const uint64_t durable = spool_->durable_seq();
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(add());
  EXPECT_EQ(spool_->durable_seq(), durable);
  EXPECT_EQ(read_all(*spool_).size(), durable);
  ASSERT_TRUE(std::filesystem::remove(temp_.path() / "ballast"));
  ASSERT_TRUE(add());
  EXPECT_EQ(texts(read_all(*spool_)), numbered_lines(0, spool_->lines()).text);
  reopen();
  EXPECT_EQ(texts(read_all(*spool_)), numbered_lines(0, spool_->lines()).text);
}

TEST_F(SpoolOnAFullDisk, StartsWithItsStoredBatches) {
  Status status;
  for (int i = 0; i < 10'000 && status; ++i) status = add();
  const uint64_t durable = spool_->durable_seq();
  reopen();
  EXPECT_GE(spool_->durable_seq(), durable);
  EXPECT_EQ(read_all(*spool_).size(), spool_->durable_seq());
  EXPECT_EQ(spool_->epoch(), 1U);
}

}  // namespace
}  // namespace statmill
