// tools/compare-ingest with fake programs in place of statmill-bench and a peer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <iterator>

#include "tests/tools/scripts.h"

namespace statmill {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// statmilld needs 1 us per sample of its own lines, 2 of Graphite's, and VictoriaMetrics 3.
class CompareIngest : public Scripts {
 protected:
  CompareIngest() {
    program("tools/install-packages", "");
    program("bin/cmake", "");
    program("bin/sleep", "");
    tree_.write("build/release/build.ninja", "");
    program(
        "build/release/bin/statmill-bench",
        "echo \"$@\" >> $TREE/runs; case \"$*\" in *--line*) cpu=3;; *graphite*) cpu=2;; *) cpu=1;; esac; "
        "for f in cpu_us_per_sample:$cpu samples_per_s:4000000 busy_after_s:0.5 rss:5000000 lost:100; do "
        "printf '{\"name\":\"ingest.x.%s\",\"value\":%s,\"unit\":\"u\",\"n\":1}\\n' ${f%:*} ${f#*:}; done");
    program("bin/victoria-metrics",
            "echo $$ >> $TREE/pids; trap 'kill $!; exit 0' TERM; /bin/sleep 30 & wait");
    program("bin/curl", "echo 'vm_rows{type=\"storage/small\"} 10000'");
  }
  // Runs it with 1000 series and returns the exit status.
  std::optional<int> run(std::vector<std::string> arguments) {
    for (const char* more : {"--sizes", "1k", "--samples", "2k"}) arguments.emplace_back(more);
    Command compare = command("compare-ingest", std::move(arguments));
    compare.environment.emplace_back("TMPDIR", scratch_.path().string());
    Process script(compare);
    const std::optional<int> code = script.wait();
    output_ = script.standard_output();
    said_ = script.standard_error();
    return code;
  }
  // Returns the fields of the table's line that begins with this text.
  std::vector<std::string> row(const std::string& begin) const {
    std::istringstream lines(output_);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::vector<std::string> fields(std::istream_iterator<std::string>(words), {});
      if (fields.size() > 3 && fields[0] + " " + fields[1] + " " + fields[2] == begin) return fields;
    }
    return {};
  }

  const TempDirectory scratch_;
  std::string output_;
  std::string said_;
};

TEST_F(CompareIngest, PrintsTheCostOfEachServerAndItsRatioToStatmill) {
  ASSERT_EQ(run({"--peers", "victoria-metrics", "--rounds", "3", "--times", "live"}), 0) << said_;
  using Fields = std::vector<std::string>;
  EXPECT_EQ(row("1k live statmill"),
            (Fields{"1k", "live", "statmill", "3", "1.000", "4000000", "0.5", "5", "99.00", "1.0", "0.5"}));
  EXPECT_EQ(row("1k live victoria-metrics"), (Fields{"1k", "live", "victoria-metrics", "3", "3.000",
                                                     "4000000", "0.5", "5", "100.00", "3.0", "1.5"}));
  EXPECT_THAT(said_,
              HasSubstr("statmill, 1k, live\ncompare-ingest: statmill-graphite, 1k, live\n"
                        "compare-ingest: victoria-metrics, 1k, live\ncompare-ingest: statmill, 1k, live\n"));
}

TEST_F(CompareIngest, SendsTheSameLinesToAllServers) {
  ASSERT_EQ(run({"--peers", "victoria-metrics", "--rounds", "1", "--times", "backfill", "--order", "random"}),
            0);
  std::istringstream runs(content("runs"));
  size_t n = 0;
  for (std::string line; std::getline(runs, line); ++n)
    EXPECT_THAT(line, EndsWith("--series 1000 --samples 10000 --order random --times step --json"));
  EXPECT_EQ(n, 3U);
}

TEST_F(CompareIngest, StopsEveryServerAndRemovesItsFiles) {
  ASSERT_EQ(run({"--peers", "victoria-metrics", "--rounds", "2", "--times", "live"}), 0);
  std::istringstream pids(content("pids"));
  size_t n = 0;
  for (pid_t pid = 0; pids >> pid; ++n) EXPECT_NE(::kill(pid, 0), 0) << pid;
  EXPECT_EQ(n, 2U);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
}

TEST_F(CompareIngest, ReportsWhyAPeerIsSkippedAndContinues) {
  program("tools/install-packages", "[ $2 != influxdb ] || { echo 'cannot install: influxdb' >&2; exit 1; }");
  program("bin/victoria-metrics", "echo 'no space left on device'; exit 1");
  program("bin/curl", "exit 7");
  ASSERT_EQ(run({"--peers", "influxdb,victoria-metrics", "--rounds", "2", "--times", "live"}), 0);
  EXPECT_THAT(output_, EndsWith("\nskipped: influxdb: cannot install: influxdb\n"
                                "skipped: victoria-metrics, 1k, live: no space left on device\n"));
  EXPECT_FALSE(row("1k live statmill-graphite").empty());
}

TEST_F(CompareIngest, RefusesInvalidOptions) {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{{"--sizes", "many"},
                                                                                      {"--times", "never"},
                                                                                      {"--rounds", "0"},
                                                                                      {"--peers", "istatd"},
                                                                                      {"--order", "up"}}) {
    Process script(command("compare-ingest", {option, value}));
    EXPECT_EQ(script.wait(), 2) << option;
    EXPECT_THAT(script.standard_error(), HasSubstr("Usage: tools/compare-ingest"));
    EXPECT_THAT(script.standard_error(), HasSubstr("\"" + value + "\""));
  }
}

}  // namespace
}  // namespace statmill
