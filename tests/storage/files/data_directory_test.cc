#include "storage/files/data_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

std::string raised(const std::string& text) {
  const TempDirectory directory;
  directory.write("FORMAT", text);
  EXPECT_TRUE(raise_format(directory.path().string()));
  return *read_format(directory.path().string());
}

TEST(RaiseFormat, ChangesOnlyAnOlderVersion) {
  EXPECT_EQ(raised("statmill store 1.0\nsteps 10s,5m\n"), "statmill store 2.5\nsteps 10s,5m\n");
  EXPECT_EQ(raised("statmill store 1.7\nsteps 10s,5m\n"), "statmill store 2.5\nsteps 10s,5m\n");
  EXPECT_EQ(raised("statmill store 2.0\nsteps 10s\n"), "statmill store 2.5\nsteps 10s\n");
  EXPECT_EQ(raised("statmill store 2.1\nsteps 10s\n"), "statmill store 2.5\nsteps 10s\n");
  EXPECT_EQ(raised("statmill store 2.2\nsteps 10s\n"), "statmill store 2.5\nsteps 10s\n");
  EXPECT_EQ(raised("statmill store 2.3\nsteps 10s\n"), "statmill store 2.5\nsteps 10s\n");
  EXPECT_EQ(raised("statmill store 2.4\nsteps 10s\n"), "statmill store 2.5\nsteps 10s\n");
  EXPECT_EQ(raised("statmill store 2.5\nsteps 10s\n"), "statmill store 2.5\nsteps 10s\n");
}

TEST(RaiseFormat, RefusesALaterMinorVersionAndKeepsIt) {
  const TempDirectory directory;
  const std::string later = "statmill store 2.6\nsteps 10s\n";
  directory.write("FORMAT", later);
  EXPECT_EQ(raise_format(directory.path().string()).error().code, ErrorCode::kVersion);
  EXPECT_EQ(*read_format(directory.path().string()), later);
}

TEST(TiersOfFormat, AVersionIsReadOrRefusedWithBothVersions) {
  struct Case {
    std::string version;
    std::string why;  // empty: it is read
  };
  const std::string reads = ", this program reads 1.0 to 2.5";
  const std::string later = reads + "; use the later statmill that wrote it, or restore an older backup";
  const std::vector<Case> cases = {
      {"1.0", ""},    {"1", ""},       {"1.65535", ""},  {"2", ""},       {"2.4", ""},    {"2.5", ""},
      {"2.6", later}, {"2.99", later}, {"3.0", later},   {"20", later},   {"0.9", reads}, {"2.65536", reads},
      {"2.x", reads}, {"2.", reads},   {"2.1.1", reads}, {"2.-1", reads}, {"", reads}};
  for (const Case& c : cases) {
    const auto tiers = tiers_of_format("statmill store " + c.version + "\nsteps 10s\n");
    EXPECT_EQ(tiers.has_value(), c.why.empty()) << c.version;
    if (tiers) continue;
    EXPECT_EQ(tiers.error().code, ErrorCode::kVersion);
    EXPECT_EQ(tiers.error().message, "it has format version " + c.version + c.why);
  }
}

TEST(PrepareDataDirectory, OnlyTheOwnerCanWriteToANewOneWhateverTheUmask) {
  const TempDirectory directory;
  const std::string data = directory.path() / "a/data";
  const mode_t before = ::umask(0);
  const auto prepared = prepare_data_directory(data, *Tiers::parse("10s:1d"));
  ::umask(before);
  ASSERT_TRUE(prepared) << prepared.error().message;
  struct stat found {};
  ASSERT_EQ(::stat(data.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0755U);
}

}  // namespace
}  // namespace statmill
