#include "base/file_version.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

TEST(FileVersion, DiffersAfterAFileIsWrittenOrReplaced) {
  const TempDirectory directory;
  const std::string path = directory.path() / "a";
  EXPECT_EQ(file_version(path), std::nullopt);
  directory.write("a", "one");
  const auto first = file_version(path);
  ASSERT_TRUE(first);
  EXPECT_EQ(file_version(path), first);
  directory.write("a", "longer");
  const auto second = file_version(path);
  EXPECT_NE(second, first);
  // Another file with the same text in its place.
  std::filesystem::copy_file(path, directory.path() / "b");
  std::filesystem::rename(directory.path() / "b", path);
  EXPECT_NE(file_version(path), second);
}

TEST(ReadFile, ShowsThatAFileIsLonger) {
  const TempDirectory directory;
  const std::string path = directory.write("a", "12345");
  EXPECT_EQ(*read_file(path, 5), "12345");
  EXPECT_EQ(read_file(path, 3)->size(), 4U);
  EXPECT_FALSE(read_file(directory.path() / "nowhere", 5));
  EXPECT_FALSE(read_file(directory.path(), 5));  // a folder
}

}  // namespace
}  // namespace statmill
