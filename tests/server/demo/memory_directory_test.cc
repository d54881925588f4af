// The directory of a demo goes with it, and the next one removes what killed ones have left.
#include "server/demo/memory_directory.h"

#include <gtest/gtest.h>

#include <fstream>

namespace statmill {
namespace {

namespace fs = std::filesystem;

TEST(MemoryDirectory, IsRemovedWithItsFiles) {
  fs::path path;
  {
    const auto directory = MemoryDirectory::make();
    ASSERT_TRUE(directory);
    path = directory->path();
    std::ofstream(path / "file") << "text";
    EXPECT_TRUE(fs::exists(path / "file"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(MemoryDirectory, LeavesThoseInUseAndRemovesTheOthers) {
  const auto mine = MemoryDirectory::make();
  ASSERT_TRUE(mine);
  const fs::path left =
      mine->path().parent_path() / ("statmill-demo-left" + mine->path().filename().string());
  fs::create_directories(left / "data");
  const auto next = MemoryDirectory::make();
  ASSERT_TRUE(next);
  EXPECT_TRUE(fs::exists(mine->path()));
  EXPECT_FALSE(fs::exists(left));
}

}  // namespace
}  // namespace statmill
