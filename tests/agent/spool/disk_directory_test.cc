// The disk under a spool: its files, and its lock.
#include "agent/spool/disk_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "agent/spool/memory_directory.h"
#include "tests/agent/spool/spool_words.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::UnorderedElementsAre;

std::unique_ptr<DiskDirectory> open_directory(const std::string& path) {
  auto directory = DiskDirectory::open(path);
  EXPECT_TRUE(directory) << directory.error().message;
  return std::move(*directory);
}

// Properties that both directories share.
void expect_files(SpoolDirectory& directory) {
  EXPECT_EQ(directory.open_for_append("a").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(directory.replace("a", "some "));
  const auto file = directory.open_for_append("a");
  ASSERT_TRUE(file);
  const std::string long_bytes(200'000, 'x');
  EXPECT_TRUE((*file)->append("bytes"));
  EXPECT_TRUE((*file)->append(long_bytes));
  EXPECT_TRUE((*file)->sync());
  EXPECT_TRUE(directory.sync());
  EXPECT_EQ(*directory.size("a"), 200'010U);
  EXPECT_EQ(*directory.read("a", 5, 5), "bytes");
  EXPECT_EQ(*directory.read("a", 8, 400'000), "es" + long_bytes);
  EXPECT_EQ(*directory.read("a", 200'010, 5), "");
  EXPECT_EQ(*directory.read("a", 300'000, 5), "");
  EXPECT_TRUE(directory.rewrite("a", "some by"));
  EXPECT_EQ(*directory.read("a", 0, 100), "some by");
  EXPECT_TRUE(directory.replace("b", "old"));
  EXPECT_TRUE(directory.replace("b", "new"));
  EXPECT_EQ(*directory.read("b", 0, 100), "new");
  EXPECT_EQ(directory.read("c", 0, 1).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(directory.size("c").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(directory.rewrite("c", "").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(directory.remove("c"));
  EXPECT_TRUE(directory.remove("a"));
  EXPECT_EQ(directory.read("a", 0, 1).error().code, ErrorCode::kNotFound);
}

TEST(DiskDirectory, StoresFiles) {
  const TempDirectory temp;
  const auto directory = open_directory(temp.path() / "spool");
  expect_files(*directory);
  EXPECT_THAT(*directory->list(), UnorderedElementsAre("b", "lock"));
}

TEST(MemoryDirectory, StoresFiles) {
  MemoryDirectory directory;
  expect_files(directory);
  EXPECT_THAT(*directory.list(), UnorderedElementsAre("b"));
}

TEST(DiskDirectory, IsAccessibleOnlyToItsUser) {
  const TempDirectory temp;
  const auto directory = open_directory(temp.path() / "spool");
  struct stat status {};
  ASSERT_EQ(::stat((temp.path() / "spool").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  ASSERT_EQ(::stat((temp.path() / "spool/lock").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0077U, 0U);
}

TEST(DiskDirectory, IsLockedByOneAgentAtATime) {
  const TempDirectory temp;
  auto first = open_directory(temp.path());
  const auto second = DiskDirectory::open(temp.path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  first.reset();
  EXPECT_TRUE(DiskDirectory::open(temp.path()));
}

TEST(DiskDirectory, RemovesAReplacementLeftByACrash) {
  const TempDirectory temp;
  temp.write("identity", "old");
  temp.write("identity.new", "ne");
  const auto directory = open_directory(temp.path());
  EXPECT_THAT(*directory->list(), UnorderedElementsAre("identity", "lock"));
  EXPECT_EQ(*directory->read("identity", 0, 100), "old");
}

TEST(DiskDirectory, AFailedReplacementChangesNothing) {
  const TempDirectory temp;
  const auto directory = open_directory(temp.path());
  std::filesystem::create_directory(temp.path() / "a");  // so that no file can replace it
  EXPECT_FALSE(directory->replace("a", "new"));
  EXPECT_THAT(*directory->list(), UnorderedElementsAre("lock"));
  EXPECT_TRUE(std::filesystem::is_directory(temp.path() / "a"));
}

TEST(DiskDirectory, AMissingParentIsAnErrorThatNamesThePath) {
  const TempDirectory temp;
  const auto directory = DiskDirectory::open(temp.path() / "no/spool");
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().message, testing::HasSubstr("no/spool"));
}

TEST(DiskDirectory, ItsLocationIsStableAndDiffersInACopy) {
  const TempDirectory temp;
  auto first = open_directory(temp.path() / "a");
  const SpoolLocation location = *first->location();
  first.reset();
  EXPECT_EQ(*open_directory(temp.path() / "a")->location(), location);
  std::filesystem::copy(temp.path() / "a", temp.path() / "b");
  EXPECT_FALSE(is_same_location(location, *open_directory(temp.path() / "b")->location()));
}

TEST(DiskDirectory, CanHoldASpool) {
  const TempDirectory temp;
  for (uint64_t start = 0; start < 3; ++start) {
    const auto directory = open_directory(temp.path());
    const auto spool =
        open_spool(*directory, {.bytes_max = 64 << 10, .segment_bytes = 2000}, *directory->location());
    ASSERT_EQ(spool->next_seq(), start * 100 + 1);
    for (int i = 0; i < 100; ++i) {
      spool->append(numbered_lines(spool->lines(), 10), at_second(0));
      ASSERT_TRUE(spool->sync());
    }
    const auto batches = read_all(*spool);
    EXPECT_EQ(texts(batches), numbered_lines(0, spool->lines()).text);
  }
}

}  // namespace
}  // namespace statmill
