// systemd accepts the units in etc/systemd and creates the directory that programs share.
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

// Returns the faults that systemd finds in the unit itself. It also verifies all units that
// this one refers to, directly or not, and prints their faults, too: those of services that
// happen to be installed on this machine.
std::string faults_of(const std::string& unit, const TempDirectory& folder) {
  constexpr std::string_view kName = "statmill-unit-under-test.service";
  const auto path = folder.write(kName, unit);
  const Ended analysis = run_program({"systemd-analyze", {"verify", path.string()}, {}});
  std::istringstream lines(analysis.said);
  std::string faults;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(kName) != std::string::npos) faults += line + "\n";
  }
  return faults;
}

std::string shipped_unit(const std::string& program) { return contents(kFolder / (program + ".service")); }

class Units : public testing::TestWithParam<const char*> {};

TEST_P(Units, HaveNoFaults) {
  if (!is_there("systemd-analyze")) GTEST_SKIP() << "no systemd-analyze";
  std::string unit = shipped_unit(GetParam());
  const std::string program = "/usr/bin/" + std::string(GetParam());
  ASSERT_THAT(unit, HasSubstr("ExecStart=" + program + " "));
  unit.replace(unit.find(program), program.size(), "/usr/bin/true");  // it is not installed here
  EXPECT_EQ(faults_of(unit, TempDirectory()), "");
}

TEST_P(Units, RestartAfterFailuresThatARestartMayFix) {
  const std::string unit = shipped_unit(GetParam());
  EXPECT_THAT(unit, HasSubstr("\nType=notify\n"));
  EXPECT_THAT(unit, HasSubstr("\nWatchdogSec="));
  EXPECT_THAT(unit, HasSubstr("\nRestart=always\n"));
  EXPECT_THAT(unit, HasSubstr("\nRestartSec=1\n"));
  EXPECT_THAT(unit, HasSubstr("\nRestartPreventExitStatus=2 3 5\n"));
  EXPECT_THAT(unit, HasSubstr("\nStartLimitIntervalSec=0\n")) << "systemd never stops restarting the unit";
}

INSTANTIATE_TEST_SUITE_P(Of, Units, testing::Values("statmilld", "statmill-agent"));

TEST(UnitFaults, IncludeOnlyThoseOfTheUnit) {
  if (!is_there("systemd-analyze")) GTEST_SKIP() << "no systemd-analyze";
  const TempDirectory folder;
  folder.write("another.service", "[Service]\nExecStart=/usr/bin/true\nNoSuchSetting=1\n");
  const std::string refers = "[Unit]\nWants=another.service\nAfter=another.service\n";
  EXPECT_EQ(faults_of(refers + "[Service]\nExecStart=/usr/bin/true\n", folder), "");
  EXPECT_THAT(faults_of(refers + "[Service]\nExecStart=/usr/bin/true\nNoSuchSetting=1\n", folder),
              HasSubstr("NoSuchSetting"));
}

TEST(SharedDirectory, AllMayWriteAndTheAgentMayClear) {
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
