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
using testing::Not;
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

// The scale of systemd-analyze goes from 0 (no rights) to 10 (all of root's).
TEST_P(Units, HaveFewRights) {
  if (!is_there("systemd-analyze")) GTEST_SKIP() << "no systemd-analyze";
  const auto path = kFolder / (std::string(GetParam()) + ".service");
  const Ended analysis = run_program(
      {"systemd-analyze", {"security", "--offline=true", "--no-pager", path.string()}, {{"LC_ALL", "C"}}});
  constexpr std::string_view kResult = "Overall exposure level for ";
  const size_t result = analysis.out.find(kResult);
  if (result == std::string::npos) GTEST_SKIP() << "systemd-analyze is too old: " << analysis.said;
  const double exposure = std::stod(analysis.out.substr(analysis.out.find(": ", result) + 2));
  EXPECT_GT(exposure, 0) << analysis.out;
  EXPECT_LE(exposure, 2.0) << analysis.out;
}

TEST_P(Units, CanLowerPrioritiesAndRaiseTheLimitOfFiles) {
  const std::string unit = shipped_unit(GetParam());
  EXPECT_THAT(unit, HasSubstr("\nSystemCallFilter=@system-service\n")) << "it has setpriority and prlimit64";
  EXPECT_THAT(unit, Not(HasSubstr("@resources")));
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

// Each of these would hide processes, or the files of the whole system, from its collectors.
TEST(AgentUnit, SeesTheProcessesOfOthers) {
  const std::string unit = shipped_unit("statmill-agent");
  for (const char* setting : {"\nProtectProc=", "\nProcSubset=", "\nPrivateUsers=", "\nPrivatePIDs="})
    EXPECT_THAT(unit, Not(HasSubstr(setting)));
}

// The directory that programs share is a file system of its own, so that nobody can fill /run with it.
TEST(SharedDirectory, IsAFileSystemWithALimitThatIsThereBeforeTheAgent) {
  const std::string unit = contents(kFolder / "run-statmill.mount");
  EXPECT_THAT(unit, HasSubstr("\nWhere=/run/statmill\nType=tmpfs\n"));
  EXPECT_THAT(unit, HasSubstr("\nBefore=statmill-agent.service\n"));
  EXPECT_THAT(unit, HasSubstr("\nWantedBy=local-fs.target\n")) << "before all programs that count";
  EXPECT_THAT(shipped_unit("statmill-agent"),
              HasSubstr("\nWants=network-online.target run-statmill.mount\n"));
  EXPECT_THAT(shipped_unit("statmill-agent"), HasSubstr("\nAlso=run-statmill.mount\n"));
  if (!is_there("systemd-analyze")) GTEST_SKIP() << "no systemd-analyze";
  const Ended analysis =
      run_program({"systemd-analyze", {"verify", (kFolder / "run-statmill.mount").string()}, {}});
  EXPECT_THAT(analysis.said, Not(HasSubstr("run-statmill.mount"))) << analysis.said;
}

TEST(SharedDirectory, TheOptionsOfTheMountAreThoseOfTheDirectoryAndKeepItsLimits) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root mounts";
  const std::string unit = contents(kFolder / "run-statmill.mount");
  constexpr std::string_view kKey = "\nOptions=";
  const size_t begin = unit.find(kKey) + kKey.size();
  std::string options = unit.substr(begin, unit.find('\n', begin) - begin);
  for (const std::string_view user : {"uid=statmill-agent", "gid=statmill-agent"}) {
    const size_t at = options.find(user);
    ASSERT_NE(at, std::string::npos) << options;
    options.replace(at + 4, user.size() - 4, "12345");  // the user is not on this machine
  }
  const TempDirectory folder;
  // The namespace of the shell, and the mount in it, end with it.
  const std::string script = "mount -t tmpfs -o " + options + " none " + folder.path().string() +
                             " || exit 9; cd " + folder.path().string() +
                             " && stat -c %u:%g:%a . && stat -f -c '%b*%S %c' . && "
                             "! head -c 70M /dev/zero 2>/dev/null >big && stat -c %s big";
  const Ended mounted = run_program({"unshare", {"--mount", "sh", "-c", script}, {}});
  if (mounted.status == 9 || mounted.out.empty())
    GTEST_SKIP() << "cannot mount a tmpfs here: " << mounted.said;
  EXPECT_EQ(mounted.status, 0) << mounted.said;
  EXPECT_EQ(mounted.out, "12345:12345:3777\n16384*4096 4096\n67108864\n");
}

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
