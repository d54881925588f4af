// tools/compare-agents with fake programs in place of the agents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/scripts.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class CompareAgents : public Scripts {
 protected:
  CompareAgents() {
    program("tools/install-packages", "[ \"$2\" != netdata-core ]");
    program("bin/sleep", "");
    program("bin/pgrep", "exit 1");
    for (const char* name :
         {"build/release/bin/statmilld", "build/release/bin/statmill-agent", "bin/prometheus-node-exporter"})
      program(name, "echo $$ >> $TREE/pids; trap 'kill $!; exit 0' TERM; /bin/sleep 30 & wait");
    program("build/release/bin/statmill", "printf 'a\\nb\\nc\\n'");
    program("bin/curl", "echo '# HELP up'; echo 'up 1'");
  }
  std::optional<int> run(std::vector<std::string> arguments) {
    Command compare = command("compare-agents", std::move(arguments));
    compare.environment.emplace_back("TMPDIR", scratch_.path().string());
    Process script(compare);
    const std::optional<int> code = script.wait();
    output_ = script.standard_output();
    said_ = script.standard_error();
    return code;
  }

  const TempDirectory scratch_;
  std::string output_;
  std::string said_;
};

TEST_F(CompareAgents, PrintsARowForEachAgentThatCanBeInstalled) {
  EXPECT_EQ(run({"--seconds", "1", "--rounds", "2"}), 0);
  EXPECT_THAT(output_, testing::MatchesRegex("agent +CPU % +RAM MB +series\n"
                                             "statmill-agent +[0-9.]+ +[0-9.]+ +3\n"
                                             "prometheus-node-exporter +[0-9.]+ +[0-9.]+ +1\n"))
      << said_;
  EXPECT_THAT(said_, HasSubstr("skipped: netdata-core cannot be installed"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path())) << "it removes its files";
}

TEST_F(CompareAgents, SkipsAPeerThatRunsAlready) {
  program("bin/pgrep", "case $* in *node-exporter*) exit 0;; *) exit 1;; esac");
  EXPECT_EQ(run({"--seconds", "1", "--rounds", "1"}), 0);
  EXPECT_THAT(said_, HasSubstr("skipped: prometheus-node-exporter runs as a service: stop that first"));
  EXPECT_THAT(output_, testing::Not(HasSubstr("prometheus-node-exporter")));
}

TEST_F(CompareAgents, EndsWhatItStarts) {
  EXPECT_EQ(run({"--seconds", "1", "--rounds", "1", "--peers", "none"}), 0);
  std::istringstream pids(content("pids"));
  int count = 0;
  for (pid_t pid = 0; pids >> pid; ++count) EXPECT_NE(::kill(pid, 0), 0) << pid;
  EXPECT_EQ(count, 2);
}

TEST_F(CompareAgents, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(run({"--peers", "telegraf"}), 2);
  EXPECT_THAT(said_, HasSubstr("--peers: unknown \"telegraf\""));
  EXPECT_EQ(run({"--rounds", "0"}), 2);
  EXPECT_EQ(run({"--seconds"}), 2);
}

TEST_F(CompareAgents, NeedsABuild) {
  std::filesystem::remove(tree_.path() / "build/release/bin/statmill-agent");
  EXPECT_EQ(run({}), 1);
  EXPECT_THAT(said_, HasSubstr("build the preset release first"));
}

}  // namespace
}  // namespace statmill
