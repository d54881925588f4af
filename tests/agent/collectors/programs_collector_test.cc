// The programs collector with a directory of generated files: each count is reported once, files of dead
// processes are removed when everything is reported, and an unreadable file does not affect the others.
#include "agent/collectors/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>
#include <string>

#include "tests/agent/collectors/programs_fixture.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using Level = CollectorStatus::Level;

TEST_F(ProgramsCollectorTest, WithoutADirectoryNothingIsReported) {
  options_.directory += "/none";
  EXPECT_EQ(collect(), "");
  EXPECT_EQ(status_.level, Level::kOk);
  EXPECT_THAT(sink_.gauges, testing::IsEmpty());
}

TEST_F(ProgramsCollectorTest, ADirectoryThatCannotBeReadIsUnavailable) {
  options_.directory = directory_.write("file", "").string();
  EXPECT_EQ(collect(), "");
  EXPECT_EQ(status_.level, Level::kUnavailable);
  EXPECT_THAT(status_.reason, HasSubstr("/file: Not a directory"));
}

TEST_F(ProgramsCollectorTest, ReportsGrowth) {
  collect();
  FakeProgram program(path("1-1.cells"), 2);
  program.set(0, 5);
  EXPECT_EQ(collect(), "*shop.sales0 5\n*shop.sales1 0\n");
  program.set(0, 7);
  EXPECT_EQ(collect(), "*shop.sales0 2\n");
  EXPECT_EQ(collect(), "");
  EXPECT_EQ(sink_.gauges.at("host.agent.program_files"), 1);
}

TEST_F(ProgramsCollectorTest, NamesHaveTheUserWhoCounts) {
  collect();
  FakeProgram plain(path("1-1.cells"), 1, "shop.sales;a=1;z=2;n=");
  FakeProgram forged(path("2-1.cells"), 1, "host.up;%75id=99;n=");
  FakeProgram again(path("3-1.cells"), 1, "x;uid=99;uid=99;Page=/a^b;n=");
  collect();
  EXPECT_EQ(sink_.text, "*shop.sales;a=1;n=0" + user_ + ";z=2 0\n" +  //
                            "*host.up;n=0" + user_ + " 0\n" + "*x;%50age=%2Fa%5Eb;n=0" + user_ + " 0\n");
}

TEST_F(ProgramsCollectorTest, ACaretMakesNoSecondName) {
  collect();
  FakeProgram program(path("1-1.cells"), 1, "mine^host.up^");
  collect();
  EXPECT_EQ(sink_.text, "*mine%5Ehost.up%5E0" + user_ + " 0\n");
}

TEST_F(ProgramsCollectorTest, InstrumentsWithoutANameAreLeftOut) {
  collect();
  FakeProgram program(path("1-1.cells"), 1, "a;b");
  FakeProgram hidden(path("2-1.cells"), 1, "a\xe2\x80\x8b");
  EXPECT_EQ(collect(), "");
  EXPECT_EQ(sink_.gauges.at("host.agent.program_instruments_left_out"), 2);
}

TEST_F(ProgramsCollectorTest, ProcessesOfOneNameAddUp) {
  collect();
  FakeProgram one(path("1-1.cells"), 1);
  FakeProgram two(path("2-1.cells"), 1);
  one.set(0, 5);
  two.set(0, 3);
  EXPECT_EQ(collect(), "*shop.sales0 5\n*shop.sales0 3\n");
}

TEST_F(ProgramsCollectorTest, UnitAndHelpComeOnceAndAgainEveryHour) {
  collect();
  FakeProgram program(path("1-1.cells"), 1, "shop.sales", "euros", "Sales in the shop.");
  const std::string family = "$m e shop.sales0 euros Sales in the shop.\n";
  EXPECT_EQ(collect(), family + "*shop.sales0 0\n");
  EXPECT_EQ(collect(), "");
  clock_.advance(std::chrono::minutes(59));
  EXPECT_EQ(collect(), "");
  clock_.advance(std::chrono::minutes(1));
  EXPECT_EQ(collect(), family);
}

TEST_F(ProgramsCollectorTest, TheFirstIntervalAfterThoseOfAnEarlierAgentHasUnitAndHelp) {
  FakeProgram program(path("1-1.cells"), 1, "shop.sales", "euros", "Sales in the shop.");
  program.set(0, 1000);
  EXPECT_EQ(collect(), "");
  EXPECT_EQ(collect(), "$m e shop.sales0 euros Sales in the shop.\n");
}

TEST_F(ProgramsCollectorTest, TextsThatAServerWouldRefuseAreLeftOut) {
  collect();
  FakeProgram program(path("1-1.cells"), 1, "shop.sales", "EUR", "Sales \xe2\x80\xae shop.");
  EXPECT_EQ(collect(), "*shop.sales0 0\n");
}

TEST_F(ProgramsCollectorTest, AnExemplarIsSentOnceWithTheUserWhoCounts) {
  collect();
  FakeProgram program(path("1-1.cells"), 0);
  program.name_histogram("shop.us");
  program.set_exemplar(2, 1'700'000'000'123, "trace_id=4bf9 span_id=a");
  const std::string values = "%shop.us h1 2 2:1\n";
  EXPECT_EQ(collect(), values + "$x shop.us 1700000000123 2 trace_id=4bf9 span_id=a\n");
  EXPECT_NE(sink_.text.find("$x shop.us" + user_), std::string::npos);
  EXPECT_EQ(collect(), "");
  program.set_exemplar(3, 1'700'000'000'124, "trace_id=5");
  EXPECT_EQ(collect(), "$x shop.us 1700000000124 3 trace_id=5\n");
  EXPECT_EQ(sink_.gauges.at("host.agent.program_exemplars_refused"), 0);
}

TEST_F(ProgramsCollectorTest, AnExemplarThatAServerWouldRefuseIsLeftOut) {
  collect();
  FakeProgram program(path("1-1.cells"), 0);
  program.name_histogram("shop.us");
  collect();
  const struct {
    std::string labels;
    std::optional<std::string> sent;
  } kRows[] = {
      {"a=b\n*evil 1", {}},             // a word that is no label
      {"a=b\n*evil=1", "a=b *evil=1"},  // still one line
      {"a=\xff", {}},                   // no UTF-8
      {"a=%FF", {}},                    // the same
      {"a=1 a=2", {}},                  // one name twice
      {"=1", {}},                       // no name
      {"a=", {}},                       // no label is left
      {std::string(10, '\0'), {}},      // nothing
      {"a=" + std::string(128, 'x'), {}},
      {"a=" + std::string(127, 'x'), "a=" + std::string(127, 'x')},
  };
  int64_t time_ms = 1'700'000'000'000;
  for (const auto& row : kRows) {
    program.set_exemplar(2, ++time_ms, row.labels);
    const std::string head = "$x shop.us " + std::to_string(time_ms) + " 2 ";
    EXPECT_EQ(collect(), row.sent ? head + *row.sent + "\n" : "") << row.labels;
    EXPECT_EQ(sink_.gauges.at("host.agent.program_exemplars_refused"), row.sent ? 0 : 1);
  }
}

TEST_F(ProgramsCollectorTest, CountsFromBeforeTheStartAreNotReportedAgain) {
  FakeProgram program(path("1-1.cells"), 1);
  program.set(0, 1000);
  EXPECT_EQ(collect(), "");
  program.set(0, 1001);
  EXPECT_EQ(collect(), "*shop.sales0 1\n");
}

TEST_F(ProgramsCollectorTest, TheLastCountsOfADeadProcessAreReportedAndItsFileRemoved) {
  collect();
  FakeProgram program(path("1-1.cells"), 1);
  program.set(0, 5);
  collect();
  EXPECT_TRUE(program.is_there());
  program.set(0, 9);
  program.end();
  EXPECT_EQ(collect(), "*shop.sales0 4\n");
  EXPECT_FALSE(program.is_there());
  EXPECT_EQ(collect(), "");
  FakeProgram next(path("1-1.cells"), 1);
  next.set(0, 2);
  EXPECT_EQ(collect(), "*shop.sales0 2\n") << "another file with the same name";
}

TEST_F(ProgramsCollectorTest, AFileIsRemovedOnceItIsReportedCompletely) {
  options_.file_bytes_max = 36 + 2 * user_.size();
  collect();
  FakeProgram program(path("1-1.cells"), 3);
  for (size_t i = 0; i < 3; ++i) program.set(i, i + 1);
  program.end();
  EXPECT_EQ(collect(), "*shop.sales0 1\n*shop.sales1 2\n");
  EXPECT_TRUE(program.is_there());
  EXPECT_EQ(collect(), "*shop.sales2 3\n");
  EXPECT_FALSE(program.is_there());
}

TEST_F(ProgramsCollectorTest, WithoutRemovesFilesNothingIsRemoved) {
  options_.removes_files = false;
  collect();
  FakeProgram program(path("1-1.cells"), 1);
  program.end();
  collect();
  EXPECT_TRUE(program.is_there());
}

TEST_F(ProgramsCollectorTest, AnUnreadableFileIsLoggedOnceAndDoesNotAffectOthers) {
  collect();
  FakeProgram program(path("2-1.cells"), 1);
  directory_.write("1-1.cells", "nonsense");
  directory_.write("other", "not ours");
  ASSERT_EQ(::mkfifo(path("3-1.cells").c_str(), 0600), 0);
  EXPECT_EQ(collect(), "*shop.sales0 0\n");
  EXPECT_EQ(sink_.gauges.at("host.agent.program_files"), 1);
  EXPECT_EQ(sink_.gauges.at("host.agent.program_files_refused"), 2);
  EXPECT_THAT(logged_, HasSubstr("1-1.cells reason=\"it is truncated\""));
  EXPECT_EQ(status_.level, Level::kOk);
  collect();
  EXPECT_EQ(logged_, "");
  EXPECT_TRUE(std::filesystem::exists(path("1-1.cells")));
}

TEST_F(ProgramsCollectorTest, AFileThatBecomesDamagedIsNotRemoved) {
  collect();
  FakeProgram program(path("1-1.cells"), 1);
  collect();
  program.damage();
  program.end();
  EXPECT_EQ(collect(), "");
  EXPECT_THAT(logged_, HasSubstr("it is not a file of shared cells"));
  EXPECT_TRUE(program.is_there());
}

TEST_F(ProgramsCollectorTest, AboveALimitFilesWaitForTheirTurn) {
  options_.bytes_in_all_max = 1;
  collect();
  FakeProgram one(path("1-1.cells"), 1, "one");
  FakeProgram two(path("2-1.cells"), 1, "two");
  EXPECT_EQ(collect(), "*one0 0\n");
  EXPECT_EQ(sink_.gauges.at("host.agent.program_files_waiting"), 1);
  one.set(0, 1);
  EXPECT_EQ(collect(), "*two0 0\n");
  EXPECT_EQ(collect(), "*one0 1\n");
}

TEST_F(ProgramsCollectorTest, FilesThatAreCostlyToReadTakeTurns) {
  options_.cost_max = 1;
  collect();
  FakeProgram one(path("1-1.cells"), 1, "one");
  FakeProgram two(path("2-1.cells"), 1, "two");
  EXPECT_EQ(collect(), "*one0 0\n");
  EXPECT_EQ(collect(), "*two0 0\n");
}

TEST_F(ProgramsCollectorTest, FilesThatWereNotListedAreNotReportedTwice) {
  collect();
  FakeProgram program(path("1-1.cells"), 1);
  program.set(0, 5);
  options_.names_max = 3;  // including . and ..
  collector_ = nullptr;
  std::filesystem::rename(path("1-1.cells"), path("1-1"));
  collect();
  std::filesystem::rename(path("1-1"), path("1-1.cells"));
  EXPECT_EQ(collect(), "*shop.sales0 5\n");
  for (int i = 0; i < 100; ++i) directory_.write("other" + std::to_string(i), "");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(collect(), "");
  for (int i = 0; i < 100; ++i) std::filesystem::remove(path("other" + std::to_string(i)));
  EXPECT_EQ(collect(), "");
}

TEST_F(ProgramsCollectorTest, LimitsFilesAndInstruments) {
  options_.files_max = 2;
  options_.items_max = 4;
  options_.items_in_all_max = 5;
  collect();
  FakeProgram great(path("1-1.cells"), 5);
  collect();
  EXPECT_THAT(logged_, HasSubstr("too many instruments"));
  FakeProgram four(path("2-1.cells"), 4, "four");
  EXPECT_THAT(collect(), HasSubstr("*four3 "));
  FakeProgram third(path("3-1.cells"), 1, "third");
  EXPECT_EQ(collect(), "");
  EXPECT_EQ(sink_.gauges.at("host.agent.program_files_waiting"), 1);
  std::filesystem::remove(path("1-1.cells"));
  EXPECT_EQ(collect() + collect(), "*third0 0\n");
  FakeProgram fourth(path("0-1.cells"), 1);
  std::filesystem::remove(path("3-1.cells"));
  EXPECT_THAT(collect() + collect(), HasSubstr("shop.sales0"));
  four.end();
  FakeProgram two(path("4-1.cells"), 2, "two");
  EXPECT_THAT(collect() + collect(), HasSubstr("*two1 "))
      << "files of dead processes do not count towards the limit";
}

}  // namespace
}  // namespace statmill
