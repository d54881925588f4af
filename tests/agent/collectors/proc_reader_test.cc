// Kernel text files are read again as a whole each time, and found once they appear.
#include "agent/collectors/proc_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;

TEST(ProcReader, ReadsAFileAgainEachTime) {
  const TempDirectory root;
  ProcReader reader(root.path());
  root.write("a/b", "one");
  EXPECT_EQ(*reader.read("a/b"), "one");
  root.write("a/b", "three");
  EXPECT_EQ(*reader.read("a/b"), "three");
}

TEST(ProcReader, ReadsFilesOfManyChunksWhole) {
  const TempDirectory root;
  ProcReader reader(root.path());
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i) + "\n";
  root.write("long", text);
  root.write("short", "x");
  EXPECT_EQ(*reader.read("long"), text);
  EXPECT_EQ(*reader.read("short"), "x") << "nothing remains of the longer text before";
}

TEST(ProcReader, NamesMissingFilesAndFindsThemOnceTheyExist) {
  const TempDirectory root;
  ProcReader reader(root.path());
  const auto missing = reader.read("stat");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("/stat: No such file"));
  root.write("stat", "here");
  EXPECT_EQ(*reader.read("stat"), "here");
}

TEST(ProcReader, RefusesEndlessFiles) {
  ProcReader reader("/dev");
  const auto endless = reader.read("zero");
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace statmill
