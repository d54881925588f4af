#include "tests/support/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

namespace statmill {
namespace {

using namespace std::chrono_literals;

Command shell(const std::string& script) { return {"/bin/sh", {"-c", script}, {}}; }

TEST(Process, ReturnsExitStatusAndBothOutputs) {
  Process process(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(process.wait(), 7);
  EXPECT_EQ(process.standard_output(), "out\n");
  EXPECT_EQ(process.standard_error(), "err\n");
}

TEST(Process, InheritsNoSettingsExceptThoseOfTheTest) {
  ::setenv("STATMILL_LOG_LEVEL", "loud", 1);
  ::setenv("JOURNAL_STREAM", "8:1", 1);
  Process process(
      {"/bin/sh", {"-c", "echo $STATMILL_LOG_LEVEL$JOURNAL_STREAM.$STATMILL_URL"}, {{"STATMILL_URL", "x"}}});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.standard_output(), ".x\n");
  ::unsetenv("STATMILL_LOG_LEVEL");
  ::unsetenv("JOURNAL_STREAM");
}

TEST(Process, FindsEachLineOnceInOrder) {
  Process process(shell("echo one 1 >&2; echo two >&2; echo one 2 >&2; exec sleep 60"));
  EXPECT_EQ(process.wait_for_line("one"), "one 1");
  EXPECT_EQ(process.wait_for_line("one"), "one 2");
  EXPECT_EQ(process.wait_for_line("two", 0s), std::nullopt);
}

TEST(Process, StopsWaitingForALineWhenTheProgramEnds) {
  Process process(shell("echo other >&2"));
  EXPECT_EQ(process.wait_for_line("ready"), std::nullopt);
}

TEST(Process, ReturnsTheSignalThatKilledTheProgram) {
  Process process(shell("echo up >&2; exec sleep 60"));
  ASSERT_TRUE(process.wait_for_line("up"));
  EXPECT_EQ(process.wait(0s), std::nullopt);
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), -SIGTERM);
}

TEST(Process, KillsARunningProgramOnDestruction) {
  pid_t pid = 0;
  {
    const Process process(shell("exec sleep 60"));
    pid = process.pid();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(Process, ReturnsOutputWithoutAWait) {
  const Process process(shell("echo out; echo err >&2"));
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(process.pid()), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(process.standard_output(), "out\n");
  EXPECT_EQ(process.standard_error(), "err\n");
}

TEST(Process, InheritsNoDescriptors) {
  const Descriptor ours(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC, as libraries open them
  ASSERT_TRUE(ours.is_open());
  Process process(shell("test -e /proc/self/fd/" + std::to_string(ours.get())));
  EXPECT_EQ(process.wait(), 1);
}

TEST(Process, ReportsThatAProgramCannotBeRun) {
  Process process({"/nonexistent/program", {}, {}});
  EXPECT_EQ(process.wait(), 127);
  EXPECT_EQ(process.standard_error(), "cannot run /nonexistent/program\n");
}

TEST(Process, AddsToTheEnvironment) {
  Process process(
      {"/bin/sh", {"-c", "echo $STATMILL_X $HOME"}, {{"STATMILL_X", "a b"}, {"HOME", "/nowhere"}}});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.standard_output(), "a b /nowhere\n");
}

TEST(LogValue, FindsWholeKeysOnly) {
  const std::string_view line = "2026-11-20T19:00:00Z info ready line=127.0.0.1:1 http=[::1]:2";
  EXPECT_EQ(log_value(line, "line"), "127.0.0.1:1");
  EXPECT_EQ(log_value(line, "http"), "[::1]:2");
  EXPECT_EQ(log_value(line, "ttp"), "");
  EXPECT_EQ(log_value(line, "agent"), "");
}

}  // namespace
}  // namespace statmill
