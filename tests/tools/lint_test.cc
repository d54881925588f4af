#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "tests/tools/scripts.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A git repository of three sources and a header, each compiled; fakes note what they are asked to check.
class Lint : public Scripts {
 protected:
  Lint() {
    program("bin/clang-format-14", "for last; do :; done; ! grep -q UNFORMATTED $TREE/$last");
    program("bin/clang-tidy-16",
            "for last; do :; done; echo $last >> $TREE/checked; if grep FAULT $TREE/$last; then exit 1; fi");
    program("bin/cmake",
            "mkdir -p $TREE/build/lint; cp $TREE/commands $TREE/build/lint/compile_commands.json");
    program("bin/ninja", "");
    tree_.write("commands",
                "[{\"file\": \"/x/a.cc\"}, {\"file\": \"/x/b.cc\"}, {\"file\": \"/x/user.cc\"}]\n");
    tree_.write(".gitignore", "/bin/\n/build/\n/checked\n/commands\n/tools/\n");
    tree_.write("a.cc", "int a;\n");
    tree_.write("b.cc", "int b;\n");
    tree_.write("user.cc", "#include \"lone.h\"\n");
    tree_.write("lone.h", "int c;\n");
    git({"init", "--quiet", "--initial-branch=main"});
    git({"add", "."});
    git({"-c", "user.name=x", "-c", "user.email=x", "commit", "--quiet", "-m", "first"});
  }
  void git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-C", tree_.path().string()});
    const Ended ended = run_program({"git", std::move(arguments), {}});
    ASSERT_EQ(ended.status, 0) << ended.said;
  }
  int lint(std::vector<std::string> arguments) {
    Process script(command("lint", std::move(arguments)));
    const std::optional<int> status = script.wait();
    output_ = script.standard_output() + script.standard_error();
    return status.value_or(-1);
  }
  // What clang-tidy was given, sorted.
  std::vector<std::string> checked() const {
    std::istringstream words(content("checked"));
    std::vector<std::string> out(std::istream_iterator<std::string>(words), {});
    std::sort(out.begin(), out.end());
    return out;
  }

  std::string output_;
};

TEST_F(Lint, ChecksEachSourceAndEachHeaderThroughASourceThatIncludesIt) {
  EXPECT_EQ(lint({}), 0) << output_;
  EXPECT_THAT(checked(), ElementsAre("a.cc", "b.cc", "user.cc"));
}

TEST_F(Lint, ChecksWhatDiffersFromARefAndWhatGitDoesNotKnowYet) {
  tree_.write("lone.h", "int d;\n");
  tree_.write("b.cc", "int e;\n");
  EXPECT_EQ(lint({"--changed", "HEAD"}), 0) << output_;
  EXPECT_THAT(checked(), ElementsAre("b.cc", "user.cc"));
}

TEST_F(Lint, ChecksTheLastCommitOfMainWithoutARef) {
  tree_.write("a.cc", "int f;\n");
  git({"-c", "user.name=x", "-c", "user.email=x", "commit", "--quiet", "-am", "second"});
  EXPECT_EQ(lint({"--changed"}), 0) << output_;
  EXPECT_THAT(checked(), ElementsAre("a.cc"));
}

TEST_F(Lint, ChecksABranchFromWhereItLeftMain) {
  git({"checkout", "--quiet", "-b", "branch"});
  for (const char* name : {"a.cc", "b.cc"}) {
    tree_.write(name, "int g;\n");
    git({"-c", "user.name=x", "-c", "user.email=x", "commit", "--quiet", "-am", name});
  }
  EXPECT_EQ(lint({"--changed"}), 0) << output_;
  EXPECT_THAT(checked(), ElementsAre("a.cc", "b.cc"));
}

TEST_F(Lint, FailsOnAFindingAndPrintsIt) {
  tree_.write("a.cc", "int h;  // FAULT\n");
  EXPECT_EQ(lint({"a.cc", "b.cc"}), 1);
  EXPECT_THAT(output_, HasSubstr("int h;  // FAULT\n"));
  EXPECT_THAT(checked(), ElementsAre("a.cc", "b.cc"));
}

TEST_F(Lint, FailsOnAFileThatIsNotFormatted) {
  tree_.write("a.cc", "int   i;  // UNFORMATTED\n");
  EXPECT_EQ(lint({"--format", "a.cc"}), 1);
  EXPECT_EQ(lint({"--format", "b.cc"}), 0);
  EXPECT_THAT(checked(), ElementsAre());
}

TEST_F(Lint, SaysHowManySourcesALimitLeavesOut) {
  EXPECT_EQ(lint({"--at-most", "1"}), 0);
  EXPECT_THAT(output_, HasSubstr("2 sources are left out"));
  EXPECT_EQ(checked().size(), 1U);
}

TEST_F(Lint, RefusesARefThatGitDoesNotKnow) {
  EXPECT_EQ(lint({"--changed", "nowhere"}), 2);
  EXPECT_THAT(output_, HasSubstr("git does not know nowhere"));
}

}  // namespace
}  // namespace statmill
