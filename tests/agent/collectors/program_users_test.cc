// The programs collector: no user can fill its limits alone, and what waits for a limit is reported later.
#include "agent/collectors/program_users.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/agent/collectors/programs_fixture.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::Not;

using ProgramUsersTest = ProgramsCollectorTest;

TEST_F(ProgramUsersTest, AUserWithManyFilesLeavesRoomForOthers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to other users";
  collect();
  for (size_t i = 0; i < options_.files_max; ++i) {
    const auto file = directory_.write("flood" + std::to_string(i) + ".cells", "nonsense");
    ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
  }
  collect();
  FakeProgram program(path("1-1.cells"), 1);
  EXPECT_EQ(collect(), "*shop.sales0 0\n");
  EXPECT_EQ(waiting("files"), 768);
  EXPECT_EQ(sink_.gauges.at("host.agent.program_files_waiting"), 768);
  EXPECT_EQ(sink_.gauges.at("host.agent.program_files_refused"), 256);
}

TEST_F(ProgramUsersTest, AUserWithManyInstrumentsLeavesRoomForOthers) {
  options_.user.items_max = 4;
  collect();
  FakeProgram four(path("1-1.cells"), 4, "four");
  FakeProgram more(path("2-1.cells"), 1, "more");
  EXPECT_THAT(collect(), Not(HasSubstr("*more0 ")));
  EXPECT_EQ(waiting("items"), 1);
  EXPECT_EQ(sink_.gauges.at("host.agent.program_files_waiting"), 1);
  if (::geteuid() == 0) {
    FakeProgram other(path("3-1.cells"), 1, "other");
    ASSERT_EQ(::chown(path("3-1.cells").c_str(), 12345, 12345), 0);
    EXPECT_EQ(collect(), "*other0;uid=12345 0\n");
  }
  four.end();
  EXPECT_EQ(collect() + collect(), "*more0 0\n") << "the room of a dead process is free again";
}

TEST_F(ProgramUsersTest, NewNamesOfAUserWaitAndLoseNothing) {
  options_.user.names_per_minute = 2;
  collect();
  FakeProgram program(path("1-1.cells"), 3);
  for (size_t i = 0; i < 3; ++i) program.set(i, i + 1);
  EXPECT_EQ(collect(), "*shop.sales0 1\n*shop.sales1 2\n");
  EXPECT_EQ(waiting("names"), 1);
  program.set(0, 2);
  program.set(2, 9);
  program.end();
  clock_.advance(std::chrono::seconds(29));
  EXPECT_EQ(collect(), "*shop.sales0 1\n") << "names that are known do not wait";
  EXPECT_TRUE(program.is_there());
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(collect(), "*shop.sales2 9\n");
  EXPECT_FALSE(program.is_there());
  EXPECT_EQ(waiting("names"), 0);
}

TEST_F(ProgramUsersTest, ManyFilesHaveNoMoreNewNamesThanOne) {
  options_.user.names_per_minute = 2;
  collect();
  FakeProgram one(path("1-1.cells"), 2, "one");
  collect();
  std::filesystem::remove(path("1-1.cells"));
  collect();
  FakeProgram two(path("2-1.cells"), 1, "two");
  EXPECT_EQ(collect(), "") << "and a file that was removed counts";
}

TEST_F(ProgramUsersTest, NamesThatAnEarlierAgentReportedAreNotNew) {
  options_.user.names_per_minute = 0;
  FakeProgram program(path("1-1.cells"), 1);
  EXPECT_EQ(collect(), "");
  program.set(0, 1);
  EXPECT_EQ(collect(), "*shop.sales0 1\n");
}

TEST_F(ProgramUsersTest, AFileThatChangesItsNamesIsRefusedInTheEnd) {
  options_.items_max = 5;
  collect();
  FakeProgram program(path("1-1.cells"), 2, "a");
  for (const char* name : {"a", "b", "c"}) {
    program.name_all(2, name);
    EXPECT_NE(collect(), "");
  }
  program.name_all(2, "d");
  EXPECT_EQ(collect(), "");
  EXPECT_THAT(logged_, HasSubstr("it has too many instruments"));
}

}  // namespace
}  // namespace statmill
