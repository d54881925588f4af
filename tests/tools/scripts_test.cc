// tools/install-packages, tools/quickstart and tools/test with fakes of the programs that they call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/tools/scripts.h"

namespace statmill {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class InstallPackages : public Scripts {
 protected:
  InstallPackages() {
    tree_.write("tools/packages",
                "# Words before the sections.\n\n# build: tools\none\ntwo\n# test: more\nthree\n"
                "# node: page\nsix\n# unpack: programs\nseven\n# nightly: kernels\neight\n# peer: "
                "others\nfour\nfive\n");
    program("bin/dpkg", "[ $2 != ./seven.deb ] || mkdir usr");
    program("bin/apt-get",
            "[ $1 != download ] || exec touch $3.deb\necho \"$@\" >> $TREE/apt; case $* in *-s*) cat "
            "$TREE/plan; exit $(cat $TREE/simulated);; esac");
    tree_.write("plan", "Inst two\n");
    tree_.write("simulated", "0");
    program("bin/node", "echo v18.20.4");
    program("bin/npm", "");
    installed("one");
  }
  void installed(const std::string& names) {
    program("bin/dpkg-query", "for last; do :; done; case ' " + names +
                                  " ' in *\" $last \"*) echo installed;; *) exit 1;; esac");
  }
};

TEST_F(InstallPackages, DoesNothingIfAllPackagesAreInstalled) {
  installed("one two");
  Process script(command("install-packages"));
  EXPECT_EQ(script.wait(), 0);
  EXPECT_EQ(content("apt"), "");
  EXPECT_EQ(script.standard_error(), "");
}

TEST_F(InstallPackages, InstallsMissingPackagesWithoutUpdating) {
  Process script(command("install-packages"));
  EXPECT_EQ(script.wait(), 0);
  EXPECT_THAT(content("apt"), HasSubstr("--no-install-recommends two\n"));
  EXPECT_THAT(content("apt"), Not(HasSubstr("update")));
  EXPECT_THAT(content("apt"), Not(HasSubstr("three")));
}

TEST_F(InstallPackages, InstallsThePackagesOfTestsOnRequest) {
  Process script(command("install-packages", {"--test"}));
  EXPECT_EQ(script.wait(), 0);
  EXPECT_THAT(content("apt"), EndsWith(" two three\n"));
}

TEST_F(InstallPackages, InstallsThePackagesOfTheNightlyRunOnRequest) {
  Process script(command("install-packages", {"--nightly"}));
  EXPECT_EQ(script.wait(), 0);
  EXPECT_THAT(content("apt"), EndsWith(" two three eight\n"));
}

TEST_F(InstallPackages, InstallsNodeOnlyWhereThereIsNone) {
  installed("one two");
  program("bin/node", "echo v16.0.0");
  Process old(command("install-packages"));
  EXPECT_EQ(old.wait(), 0);
  EXPECT_THAT(content("apt"), EndsWith("--no-install-recommends six\n"));
  program("bin/node", "exit 1");
  Process broken(command("install-packages", {"--test"}));
  EXPECT_EQ(broken.wait(), 0);
  EXPECT_THAT(content("apt"), EndsWith("--no-install-recommends three six\n"));
  tree_.write("apt", "");
  program("bin/node", "echo v20.1.2");
  Process present(command("install-packages"));
  EXPECT_EQ(present.wait(), 0);
  EXPECT_EQ(content("apt"), "");
}

TEST_F(InstallPackages, OnlyUnpacksPackagesWithServers) {
  installed("one two three");
  for (const char* said : {"install-packages: unpacking seven\n", ""}) {
    Process script(command("install-packages", {"--test"}));
    EXPECT_EQ(script.wait(), 0);
    EXPECT_EQ(script.standard_error(), said) << "only once";
    EXPECT_TRUE(std::filesystem::is_directory(tree_.path() / "build/unpacked/seven"));
  }
  EXPECT_EQ(content("apt"), "") << "nothing is installed";
}

TEST_F(InstallPackages, SucceedsWithoutAPackageThatItCannotUnpack) {
  program("bin/apt-get", "exit 100");
  installed("one two three");
  Process script(command("install-packages", {"--test"}));
  EXPECT_EQ(script.wait(), 0);
  EXPECT_THAT(script.standard_error(), EndsWith("install-packages: cannot unpack seven\n"));
  EXPECT_TRUE(std::filesystem::is_empty(tree_.path() / "build/unpacked"));
}

TEST_F(InstallPackages, InstallsASinglePeerOnRequest) {
  Process script(command("install-packages", {"--peer", "five"}));
  EXPECT_EQ(script.wait(), 0);
  EXPECT_THAT(content("apt"), EndsWith("--no-install-recommends five\n"));
  for (const std::string name : {"two", "six", "nine"}) {
    Process other(command("install-packages", {"--peer", name}));
    EXPECT_EQ(other.wait(), 2);
    EXPECT_THAT(other.standard_error(), HasSubstr("there is no peer " + name + " in the list"));
  }
}

TEST_F(InstallPackages, StopsBeforeItRemovesAnything) {
  tree_.write("plan", "Remv libother-dev [1.0]\nInst two\n");
  Process script(command("install-packages"));
  EXPECT_EQ(script.wait(), 3);
  EXPECT_THAT(script.standard_error(), HasSubstr("would be removed: libother-dev\n"));
  EXPECT_THAT(content("apt"), Not(HasSubstr("install -y")));
  Process willing(command("install-packages", {"--yes"}));
  EXPECT_EQ(willing.wait(), 0);
  EXPECT_THAT(content("apt"), HasSubstr("install -y"));
}

TEST_F(InstallPackages, UpdatesOnceAndGivesUpOnPackagesThatDoNotExist) {
  tree_.write("simulated", "100");
  tree_.write("plan", "E: Unable to locate package two\n");
  Process script(command("install-packages"));
  EXPECT_EQ(script.wait(), 1);
  EXPECT_THAT(content("apt"), HasSubstr("update"));
  EXPECT_THAT(content("apt"), Not(HasSubstr("install -y")));
  EXPECT_THAT(script.standard_error(), EndsWith("install-packages: cannot install: two\n"));
}

class Quickstart : public Scripts {
 protected:
  Quickstart() {
    program("tools/install-packages", "");
    program("bin/cmake", "");
    tree_.write("build/release/build.ninja", "");
    program("build/release/bin/statmilld",
            "echo \"$@\" > $TREE/server-arguments\n" +
                until_terminated(
                    "server",
                    "2026-11-20T19:00:00Z info ready line=127.0.0.1:7 agent=127.0.0.1:8 http=127.0.0.1:9"));
    program("build/release/bin/statmill-agent",
            "echo \"$@\" > $TREE/agent-arguments\n" + until_terminated("agent", "agent up"));
  }
  // Says `when_up`, waits for SIGTERM, and notes it in the file `order`.
  static std::string until_terminated(const std::string& name, const std::string& when_up) {
    return "trap 'kill $!; echo " + name + " >> $TREE/order; exit 0' TERM\necho '" + when_up +
           "' >&2; sleep 30 >/dev/null 2>&1 & wait";
  }
  std::string data() const { return (tree_.path() / "data").string(); }
};

TEST_F(Quickstart, PrintsItsAddressAndStopsTheAgentFirst) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::filesystem::remove(tree_.path() / "order");
    Process script(command("quickstart", {"--data", data(), "--", "--line.listen", "127.0.0.1:0"}));
    ASSERT_TRUE(script.wait_for_line("agent up"));
    script.signal(signal);
    EXPECT_EQ(script.wait(), 0);
    EXPECT_EQ(content("order"), "agent\nserver\n");
    EXPECT_THAT(script.standard_output(),
                HasSubstr("Open http://127.0.0.1:9 in a browser. The data is in " + data()));
    EXPECT_THAT(script.standard_error(),
                HasSubstr("statmill-agent has stopped\nquickstart: statmilld has stopped\n"));
    EXPECT_EQ(content("server-arguments"), "--store.path " + data() + "/server --line.listen 127.0.0.1:0\n");
    EXPECT_EQ(content("agent-arguments"), "--server 127.0.0.1:8 --spool.path " + data() + "/agent\n");
  }
}

TEST_F(Quickstart, PrintsWhyTheServerDoesNotStart) {
  program("build/release/bin/statmilld", "echo 'statmilld: line.listen: address already in use' >&2; exit 6");
  Process script(command("quickstart", {"--data", data()}));
  EXPECT_EQ(script.wait(), 1);
  EXPECT_THAT(script.standard_error(), HasSubstr("statmilld: line.listen: address already in use\n"));
  EXPECT_THAT(script.standard_error(), HasSubstr("the server did not start"));
  EXPECT_EQ(script.standard_output(), "");
}

TEST_F(Quickstart, EndsIfOneProgramEnds) {
  program("build/release/bin/statmill-agent", "exit 1");
  Process script(command("quickstart", {"--data", data()}));
  EXPECT_EQ(script.wait(), 1);
  EXPECT_THAT(script.standard_error(), HasSubstr("statmill-agent ended by itself"));
  EXPECT_THAT(script.standard_error(), HasSubstr("statmilld has stopped"));
  EXPECT_EQ(content("order"), "server\n");
}

TEST_F(Quickstart, StopsAServerThatIsNotReadyYet) {
  program("build/release/bin/statmilld", until_terminated("server", "starting"));
  Process script(command("quickstart", {"--data", data()}));
  ASSERT_TRUE(script.wait_for_line("starting"));
  script.signal(SIGINT);
  EXPECT_EQ(script.wait(), 0);
}

class TestScript : public Scripts {
 protected:
  TestScript() {
    program("tools/install-packages", "");
    program(
        "bin/cmake",
        "case $* in *$(cat $TREE/broken 2>/dev/null || echo none)*) echo 'x.cc:1: error: no'; exit 1;; esac");
    // Copies results/STAGE.xml to the path in its arguments.
    program("bin/ctest",
            "stage=$2; while [ $# -gt 0 ]; do [ $1 != --output-junit ] || cp $TREE/results/$stage.xml $2; "
            "shift; done");
    tree_.write("results/release.xml", testcase("A", "run", "") + testcase("B", "run", ""));
    tree_.write("results/asan.xml", testcase("A", "run", ""));
  }
  static std::string testcase(const std::string& name, const std::string& status, const std::string& inner) {
    return "\t<testcase name=\"" + name + "\" classname=\"" + name + "\" time=\"0.1\" status=\"" + status +
           "\">\n" + inner + "\t</testcase>\n";
  }
  // Runs the stages and returns the exit status.
  std::optional<int> run(const std::string& stages) {
    Command test = command("test");
    test.environment.emplace_back("SM_STAGES", stages);
    Process script(test);
    const std::optional<int> code = script.wait();
    output_ = script.standard_output();
    return code;
  }

  std::string output_;
};

TEST_F(TestScript, AddsUpAllStages) {
  EXPECT_EQ(run("release asan"), 0);
  EXPECT_THAT(output_, EndsWith("\n3 passed, 0 failed\n"));
}

TEST_F(TestScript, CountsFailedTestsAndThoseWithoutProgram) {
  tree_.write("results/asan.xml",
              testcase("A", "fail", "\t\t<failure message=\"\"/>\n") +
                  testcase("B", "notrun", "\t\t<skipped message=\"Unable to find executable\"/>\n"));
  EXPECT_EQ(run("release asan"), 1);
  EXPECT_THAT(output_, HasSubstr("failed: asan: B: Unable to find executable\n== done"));
  EXPECT_THAT(
      output_,
      EndsWith("\nfailed: asan: A\nfailed: asan: B: Unable to find executable\n2 passed, 2 failed\n"));
}

TEST_F(TestScript, PrintsWhyATestFailed) {
  tree_.write("results/asan.xml", testcase("A", "fail",
                                           "\t\t<failure message=\"\"/>\n\t\t<system-out>[ RUN      ] A\n"
                                           "a_test.cc:12: Failure\nValue of: 1 &lt; 0\n"
                                           "[  FAILED  ] A (1 ms)\n</system-out>\n"));
  EXPECT_EQ(run("release asan"), 1);
  EXPECT_THAT(
      output_,
      EndsWith("\nfailed: asan: A\n  | a_test.cc:12: Failure\n  | Value of: 1 < 0\n2 passed, 1 failed\n"));
}

TEST_F(TestScript, PrintsWhyATestWasSkipped) {
  tree_.write(
      "results/release.xml",
      testcase("A", "run", "") + testcase("B", "notrun",
                                          "\t\t<skipped message=\"SKIP_REGULAR_EXPRESSION_MATCHED\"/>\n"
                                          "\t\t<system-out>[ RUN      ] B\n/x_test.cc:3: Skipped\nno "
                                          "&lt;kernel&gt;\n\n[  SKIPPED ] B (0 ms)\n"
                                          "</system-out>\n"));
  EXPECT_EQ(run("release"), 0);
  EXPECT_THAT(output_, HasSubstr("\nskipped: release: B: no <kernel>"));
  EXPECT_THAT(output_, EndsWith("\n1 passed, 0 failed, 1 skipped\n"));
}

TEST_F(TestScript, CountsEachTestOfAProgram) {
  tree_.write("results/asan.xml",
              testcase("x_tests", "fail",
                       "\t\t<failure message=\"\"/>\n\t\t<system-out>Running main()\n"
                       "[ RUN      ] A.Passes\n[       OK ] A.Passes (0 ms)\n"
                       "[ RUN      ] A.Fails\na_test.cc:12: Failure\nof A\n"
                       "[  FAILED  ] A.Fails, where GetParam() = &quot;b&quot; (1 ms)\n"
                       "[ RUN      ] A.Skips\n/x_test.cc:3: Skipped\nno disk\n\n[  SKIPPED ] A.Skips (0 ms)\n"
                       "[ RUN      ] B.PrintsText\ntext[       OK ] B.PrintsText (0 ms)\n"
                       "[ RUN      ] B.PrintsMarks\nsub [  FAILED  ] x\n[       OK ] B.PrintsMarks (0 ms)\n"
                       "[  PASSED  ] 2 tests.\n[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] A.Skips\n"
                       "[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.Fails\n</system-out>\n"));
  EXPECT_EQ(run("asan"), 1);
  EXPECT_THAT(output_, HasSubstr("\nskipped: asan: A.Skips: no disk\n"));
  EXPECT_THAT(output_, EndsWith("\nfailed: asan: A.Fails\n  | a_test.cc:12: Failure\n  | of A\n"
                                "3 passed, 1 failed, 1 skipped\n"));
}

TEST_F(TestScript, NamesTheTestInWhichAProgramEnded) {
  tree_.write("results/asan.xml",
              testcase("x_tests", "fail",
                       "\t\t<failure message=\"\"/>\n\t\t<system-out>[ RUN      ] A.Passes\n"
                       "[       OK ] A.Passes (0 ms)\n[ RUN      ] A.Crashes\n"
                       "==1==ERROR: AddressSanitizer: SEGV\n    #0 f x.cc:1\n</system-out>\n"));
  EXPECT_EQ(run("asan"), 1);
  EXPECT_THAT(output_,
              EndsWith("\nfailed: asan: A.Crashes: the program ended in it or was ended, and did not run "
                       "the tests that follow\n  | ==1==ERROR: AddressSanitizer: SEGV\n  | #0 f x.cc:1\n1 "
                       "passed, 1 failed\n"));
}

TEST_F(TestScript, CountsAProgramThatFailsAfterItsTests) {
  tree_.write("results/asan.xml",
              testcase("x_tests", "fail",
                       "\t\t<failure message=\"\"/>\n\t\t<system-out>[ RUN      ] A.Passes\n"
                       "[       OK ] A.Passes (0 ms)\n[  PASSED  ] 1 test.\n"
                       "==1==ERROR: LeakSanitizer: detected memory leaks\n</system-out>\n"));
  EXPECT_EQ(run("asan"), 1);
  EXPECT_THAT(output_, EndsWith("\nfailed: asan: x_tests\n  | ==1==ERROR: LeakSanitizer: detected memory "
                                "leaks\n1 passed, 1 failed\n"));
}

TEST_F(TestScript, CountsAFaultThatLintFindsAndSkipsItWithoutItsTools) {
  program("tools/lint", "case $* in --format) exit 1;; *) exit 3;; esac");
  EXPECT_EQ(run("lint"), 1);
  EXPECT_THAT(output_, HasSubstr("failed: tools/lint --format\n"));
  EXPECT_THAT(output_, HasSubstr("skipped: tools/lint --changed"));
  EXPECT_THAT(output_, EndsWith("\n0 passed, 1 failed, 1 skipped\n"));
}

TEST_F(TestScript, CountsAFailedBuildAsOneFailureAndContinues) {
  tree_.write("broken", "--build --preset release");
  EXPECT_EQ(run("release asan"), 1);
  EXPECT_THAT(output_, HasSubstr("x.cc:1: error: no\n"));
  // It is printed where it happens and repeated at the end.
  EXPECT_THAT(output_, HasSubstr("\nfailed: build of release\n== asan: build"));
  EXPECT_THAT(output_, EndsWith("\nfailed: build of release\n1 passed, 1 failed\n"));
}

TEST_F(TestScript, FailsAStageWithoutTests) {
  tree_.write("results/asan.xml", "<testsuite>\n</testsuite>\n");
  EXPECT_EQ(run("asan"), 1);
  EXPECT_THAT(output_, HasSubstr("\nfailed: no tests in asan\n"));
  EXPECT_THAT(output_, EndsWith("\n0 passed, 1 failed\n"));
}

TEST_F(TestScript, FailsIfPackagesCannotBeInstalled) {
  program("tools/install-packages", "exit 3");
  EXPECT_EQ(run("release"), 1);
  EXPECT_THAT(output_, EndsWith("\n0 passed, 1 failed\n"));
}

}  // namespace
}  // namespace statmill
