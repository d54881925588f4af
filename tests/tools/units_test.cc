// What systemd makes of etc/systemd: units without a fault, and the directory that programs share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/process.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::Optional;

const std::filesystem::path kFolder = std::filesystem::path(STATMILL_SOURCE_TREE) / "etc/systemd";

bool is_there(const std::string& program) { return std::filesystem::exists("/usr/bin/" + program); }

std::string contents(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

class Units : public testing::TestWithParam<const char*> {};

TEST_P(Units, AreWithoutFault) {
  if (!is_there("systemd-analyze")) GTEST_SKIP() << "no systemd-analyze";
  std::string unit = contents(kFolder / (GetParam() + std::string(".service")));
  const std::string program = "/usr/bin/" + std::string(GetParam());
  ASSERT_THAT(unit, HasSubstr("ExecStart=" + program + " "));
  unit.replace(unit.find(program), program.size(), "/usr/bin/true");  // it is not installed here
  const TempDirectory temp;
  temp.write("some.service", unit);
  Process analysis({"systemd-analyze", {"verify", (temp.path() / "some.service").string()}, {}});
  EXPECT_THAT(analysis.wait(), Optional(0));
  EXPECT_EQ(analysis.standard_error(), "");
}

INSTANTIATE_TEST_SUITE_P(Of, Units, testing::Values("statmilld", "statmill-agent"));

TEST(SharedDirectory, IsForAllToWriteAndForTheAgentToClear) {
  if (!is_there("systemd-sysusers") || !is_there("systemd-tmpfiles")) GTEST_SKIP() << "no systemd";
  if (::geteuid() != 0) GTEST_SKIP() << "users are made by root";
  const TempDirectory root;
  std::filesystem::create_directory(root.path() / "etc");
  Process users(
      {"systemd-sysusers", {"--root=" + root.path().string(), kFolder / "statmill.sysusers.conf"}, {}});
  ASSERT_THAT(users.wait(), Optional(0)) << users.standard_error();
  Process files({"systemd-tmpfiles",
                 {"--root=" + root.path().string(), "--create", kFolder / "statmill.tmpfiles.conf"},
                 {}});
  ASSERT_THAT(files.wait(), Optional(0)) << files.standard_error();
  struct stat status {};
  ASSERT_EQ(::stat((root.path() / "run/statmill").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 03777U);
  const std::string user = "statmill-agent:x:" + std::to_string(status.st_uid) + ":" +
                           std::to_string(status.st_gid) + ":statmill agent:";
  EXPECT_THAT(contents(root.path() / "etc/passwd"), HasSubstr(user));
}

}  // namespace
}  // namespace statmill
