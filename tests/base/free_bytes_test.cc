#include "base/free_bytes.h"

#include <gtest/gtest.h>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

TEST(FreeBytes, AreThoseOfTheFileSystem) {
  const TempDirectory directory;
  const auto bytes = free_bytes(directory.path().string());
  ASSERT_TRUE(bytes);
  EXPECT_LE(*bytes, std::filesystem::space(directory.path()).capacity);
  EXPECT_EQ(free_bytes(directory.path().string() + "/none"), std::nullopt);
  EXPECT_EQ(free_bytes("/proc"), 0U);
}

}  // namespace
}  // namespace statmill
