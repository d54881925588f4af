// tools/nightly with fake jobs: how it packs parts, continues, and joins results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/tools/scripts.h"

namespace statmill {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class Nightly : public Scripts {
 protected:
  // Each job notes its name and N in the file `runs`.
  void jobs(const std::string& list) {
    tree_.write("tools/nightly.jobs", "# name minutes N slice command\n\n" + list);
  }
  static std::string job(const std::string& name, int minutes, const std::string& more = "echo $N things") {
    return name + " " + std::to_string(minutes) + " 100 2 echo " + name + " $N >>runs; " + more + "\n";
  }
  Ended run(std::vector<std::string> arguments = {}) const {
    return run_program(command("nightly", std::move(arguments)));
  }
  std::string runs() const { return content("runs"); }
};

TEST_F(Nightly, RunsEachJobOnceAndContinuesWithWhatHasNoResult) {
  jobs(job("one", 10) + job("two", 20) + job("three", 30));
  EXPECT_EQ(run().status, 0);
  EXPECT_EQ(runs(), "one 100\ntwo 100\nthree 100\n");
  EXPECT_EQ(run().status, 0);
  EXPECT_EQ(runs(), "one 100\ntwo 100\nthree 100\n") << "all have results";
  std::filesystem::remove(tree_.path() / "build/nightly/two.tsv");
  EXPECT_EQ(run().status, 0);
  EXPECT_THAT(runs(), EndsWith("three 100\ntwo 100\n"));
}

TEST_F(Nightly, AResultOfAnotherCommitIsNotUsed) {
  program("bin/git", "cat $TREE/commit");
  tree_.write("commit", "abc1");
  jobs(job("one", 10));
  run();
  run();
  tree_.write("commit", "abc2");
  run();
  EXPECT_EQ(runs(), "one 100\none 100\n");
  EXPECT_THAT(content("build/nightly/one.tsv"), HasSubstr("\tabc2\t100 things\n"));
}

TEST_F(Nightly, AStopEndsTheJobWhichRunsAgainLater) {
  tree_.write("pause", "x");
  jobs(job("one", 10,
           "trap 'echo stopped >>runs; exit 1' TERM; echo up >up; while [ -e pause ]; do sleep 0.1; done"));
  Process script(command("nightly"));
  ASSERT_TRUE(wait_until([this] { return std::filesystem::exists(tree_.path() / "up"); }));
  script.signal(SIGTERM);
  EXPECT_EQ(script.wait(), 130);
  EXPECT_TRUE(wait_until([this] { return runs() == "one 100\nstopped\n"; })) << runs();
  std::filesystem::remove(tree_.path() / "pause");
  EXPECT_EQ(run().status, 0);
  EXPECT_EQ(runs(), "one 100\nstopped\none 100\n");
}

TEST_F(Nightly, PartsHaveEachJobOnceAndAreShort) {
  jobs(job("a", 20) + job("b", 40) + job("c", 20) + job("d", 30) + job("e", 15) + job("f", 5));
  std::multiset<std::string> all;
  for (const std::string part : {"1/3", "2/3", "3/3"}) {
    std::filesystem::remove(tree_.path() / "runs");
    EXPECT_EQ(run({"--part", part}).status, 0);
    const std::map<std::string, int> minutes{{"a", 20}, {"b", 40}, {"c", 20}, {"d", 30}, {"e", 15}, {"f", 5}};
    int sum = 0;
    std::istringstream lines(runs());
    for (std::string name, count; lines >> name >> count; sum += minutes.at(name)) all.insert(name);
    EXPECT_LE(sum, 45) << part;
  }
  EXPECT_EQ(all, (std::multiset<std::string>{"a", "b", "c", "d", "e", "f"}));
  EXPECT_EQ(run({"--table"}).status, 0) << "the parts join";
}

TEST_F(Nightly, SaysHowManyPartsAreNeeded) {
  jobs(job("a", 40) + job("b", 40) + job("c", 40));
  const Ended few = run({"--part", "1/2"});
  EXPECT_EQ(few.status, 2);
  EXPECT_EQ(few.said, "nightly: 2 parts are too few: at least 3 are needed\n");
  jobs(job("a", 46));
  EXPECT_THAT(run({"--part", "1/1"}).said, HasSubstr("a job takes more than 45 minutes"));
  EXPECT_EQ(run({"--part", "2/1"}).status, 2);
  EXPECT_EQ(run({"--part", "0/1"}).status, 2);
  EXPECT_EQ(run({"--fast"}).status, 2);
  EXPECT_EQ(runs(), "");
}

TEST_F(Nightly, TheTableJoinsResultsAndSaysWhatIsMissingOrFailed) {
  jobs(job("good", 1) + job("none", 1, "echo skipped: no kernel") + job("bad", 1, "echo 3 lost; exit 1"));
  EXPECT_EQ(run({"--table"}).status, 3);
  const Ended failing = run();
  EXPECT_EQ(failing.status, 1);
  EXPECT_THAT(failing.said, HasSubstr("nightly: bad: failed, see build/nightly/bad.log: its first failures, "
                                      "and how it ends:\n  | 3 lost\n"));
  const Ended table = run({"--table"});
  EXPECT_EQ(table.status, 1);
  EXPECT_THAT(table.out, StartsWith("job\tstatus\tseconds\tcommit\tresult\ngood\tok\t"));
  EXPECT_THAT(table.out, HasSubstr("\t100 things\nnone\tskipped\t"));
  EXPECT_THAT(table.out, HasSubstr("\tskipped: no kernel\nbad\tfailed\t"));
  EXPECT_THAT(table.out, EndsWith("\t3 lost\n"));
  std::filesystem::remove(tree_.path() / "build/nightly/good.tsv");
  EXPECT_THAT(run({"--table"}).out, HasSubstr("\ngood\tmissing\t"));
}

TEST_F(Nightly, AFailureIsSaidThoughMuchFollowsIt) {
  jobs(job("bad", 1, "echo 'a.cc:7: Failure'; echo 'Value of: a'; seq 100; exit 1"));
  const Ended failing = run();
  EXPECT_THAT(failing.said, HasSubstr("  | a.cc:7: Failure\n  | Value of: a\n  | 1\n"));
  EXPECT_THAT(failing.said, EndsWith("  | 99\n  | 100\n"));
}

TEST_F(Nightly, AResultIsTheLastLineThatIsNotTheFrameworks) {
  jobs(job("one", 1, "echo '7 kills: none lost'; echo; echo '[  PASSED  ] 2 tests.'; echo ' 1 FAILED TEST'"));
  run();
  EXPECT_THAT(content("build/nightly/one.tsv"), EndsWith("\t7 kills: none lost\n"));
}

TEST_F(Nightly, ASliceIsSmallAndIsNoResultOfTheFullRun) {
  jobs(job("one", 10) + "two 10 100 0 echo two >>runs\n" + job("three", 10));
  const Ended slice = run({"--slice"});
  EXPECT_EQ(slice.status, 0);
  EXPECT_EQ(runs(), "one 2\nthree 2\n");
  EXPECT_THAT(slice.out, HasSubstr("\t2 things\n"));
  EXPECT_EQ(run({"--slice"}).status, 0);
  EXPECT_EQ(runs(), "one 2\nthree 2\none 2\nthree 2\n") << "it runs each time";
  EXPECT_EQ(run({"--table"}).status, 3);
}

TEST(NightlyJobs, TakeFiveHoursAndNoneTakesMoreThanAPart) {
  std::ifstream list(std::filesystem::path(STATMILL_SOURCE_TREE) / "tools/nightly.jobs");
  int all = 0;
  std::set<std::string> names;
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string name;
    int minutes = 0;
    int count = 0;
    int slice = 0;
    ASSERT_TRUE(words >> name >> minutes >> count >> slice) << line;
    EXPECT_TRUE(names.insert(name).second) << line;
    EXPECT_TRUE(minutes > 0 && minutes <= 45) << line;
    EXPECT_TRUE(count > 0 && slice >= 0 && slice <= count) << line;
    all += minutes;
  }
  EXPECT_GT(names.size(), 10U);
  EXPECT_LE(all, 300);
}

}  // namespace
}  // namespace statmill
