// statmill as a process: streams, environment, exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/process.h"
#include "tests/tools/fake_server.h"

namespace statmill {
namespace {

constexpr const char* kListing = R"({"series":[],"truncated":false})";

TEST(StatmillProgram, ReadsTheServerFromTheEnvironment) {
  const FakeServer server(200, kListing);
  Process statmill({STATMILL_PROGRAM, {"ls", "--format", "json"}, {{"STATMILL_URL", server.url()}}});
  EXPECT_EQ(statmill.wait(), 0);
  EXPECT_EQ(statmill.standard_output(), std::string(kListing) + "\n");
  EXPECT_EQ(statmill.standard_error(), "statmill: no series matches\n");
}

TEST(StatmillProgram, ExitsWithNineIfTheServerIsUnreachable) {
  const std::string url = "http://127.0.0.1:" + std::to_string(unused_port());
  Process statmill({STATMILL_PROGRAM, {"put", "a", "1", "--server", url}, {}});
  EXPECT_EQ(statmill.wait(), 9);
  EXPECT_EQ(statmill.standard_output(), "");
  EXPECT_THAT(statmill.standard_error(), testing::HasSubstr("cannot reach"));
}

TEST(StatmillProgram, PrintsNoErrorIfItsReaderClosesThePipe) {
  for (const std::string trap : {"", "trap '' PIPE; "}) {  // the shell's child inherits an ignored SIGPIPE
    Process shell({"/bin/bash", {"-c", trap + STATMILL_PROGRAM " --help | true; exit ${PIPESTATUS[1]}"}, {}});
    EXPECT_EQ(shell.wait(), 0);
    EXPECT_EQ(shell.standard_error(), "");
  }
}

TEST(StatmillProgram, ReportsThatItCannotWrite) {
  Process shell({"/bin/sh", {"-c", STATMILL_PROGRAM " --help > /dev/full"}, {}});
  EXPECT_EQ(shell.wait(), 1);
  EXPECT_EQ(shell.standard_error(), "statmill: cannot write: No space left on device\n");
}

}  // namespace
}  // namespace statmill
