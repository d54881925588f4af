#include "ingest/scrape/target_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

class TargetFilesTest : public testing::Test {
 protected:
  TargetFilesTest() { options_.files = {directory_.path() / "web.json", directory_.path() / "db.json"}; }
  // Replaces the file, as a tool does that writes it whole.
  void put(const std::string& name, const std::string& text) {
    std::filesystem::rename(directory_.write("new", text), directory_.path() / name);
  }

  TempDirectory directory_;
  ScrapeOptions options_;
  Log log_{LogLevel::kError};
};

TEST_F(TargetFilesTest, FilesAreReadWhenTheyChange) {
  put("web.json", R"([{"targets": ["a:1", "b:1"]}])");
  TargetFiles files(options_, log_);
  EXPECT_TRUE(files.refresh());
  EXPECT_EQ(files.targets().size(), 2U);
  EXPECT_EQ(files.targets()[0].label("job"), "web");
  EXPECT_EQ(files.faults(), 1U);  // db.json is missing
  EXPECT_FALSE(files.refresh());
  put("db.json", R"([{"targets": ["a:1"], "labels": {"job": "web"}}, {"targets": ["c:1"]}])");
  EXPECT_TRUE(files.refresh());
  EXPECT_EQ(files.faults(), 0U);
  EXPECT_EQ(files.targets().size(), 3U);  // one target is in both
}

TEST_F(TargetFilesTest, AFaultKeepsTheTargetsOfBefore) {
  put("web.json", R"([{"targets": ["a:1"]}])");
  put("db.json", "[]");
  TargetFiles files(options_, log_);
  files.refresh();
  put("web.json", R"([{"targets": ["a:1"], )");
  EXPECT_TRUE(files.refresh());
  EXPECT_EQ(files.faults(), 1U);
  EXPECT_EQ(files.targets().size(), 1U);
  std::filesystem::remove(directory_.path() / "web.json");
  EXPECT_TRUE(files.refresh());
  EXPECT_EQ(files.targets().size(), 1U);
  put("web.json", "[]");
  files.refresh();
  EXPECT_EQ(files.targets().size(), 0U);
}

}  // namespace
}  // namespace statmill
