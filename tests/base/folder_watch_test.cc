// A folder while somebody works on its files.
#include "base/folder_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

TEST(FolderWatch, TellsAChangeOnceItIsComplete) {
  const TempDirectory folder;
  const auto file = folder.write("main.js", "a");
  FolderWatch watch(folder.path().string());
  EXPECT_FALSE(watch.has_changed());
  std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + std::chrono::seconds(5));
  EXPECT_FALSE(watch.has_changed()) << "more may follow";
  folder.write("style.css", "b");
  EXPECT_FALSE(watch.has_changed()) << "more may follow";
  EXPECT_TRUE(watch.has_changed());
  EXPECT_FALSE(watch.has_changed()) << "once";
  std::filesystem::remove(file);
  EXPECT_FALSE(watch.has_changed());
  EXPECT_TRUE(watch.has_changed());
}

TEST(FolderWatch, LooksIntoFoldersButNotIntoHiddenOnes) {
  const TempDirectory folder;
  std::filesystem::create_directories(folder.path() / "a/b");
  std::filesystem::create_directories(folder.path() / ".git");
  FolderWatch watch(folder.path().string());
  folder.write(".git/index", "x");
  EXPECT_FALSE(watch.has_changed());
  EXPECT_FALSE(watch.has_changed());
  folder.write("a/b/c.js", "x");
  watch.has_changed();
  EXPECT_TRUE(watch.has_changed());
  folder.write("a/b/c.js", "xy");
  watch.start();
  EXPECT_FALSE(watch.has_changed()) << "what came before start() is known";
}

TEST(FolderWatch, AFolderThatIsGoneChangesOnce) {
  const TempDirectory folder;
  std::filesystem::create_directories(folder.path() / "page");
  folder.write("page/main.js", "x");
  FolderWatch watch((folder.path() / "page").string());
  std::filesystem::remove_all(folder.path() / "page");
  EXPECT_FALSE(watch.has_changed());
  EXPECT_TRUE(watch.has_changed());
  EXPECT_FALSE(watch.has_changed());
}

}  // namespace
}  // namespace statmill
