// Distributions end to end: samples and histograms sent over every path are returned as percentiles and
// heatmaps, from RAM, from the journal of a killed server, and from its files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class DistributionsE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }
  // Returns the heatmap of the last two hours: one slot of a day, or two if midnight is within them.
  boost::json::object heatmap(const std::string& parameters) const {
    return boost::json::parse(server_.get("/api/v1/heatmap?from=-2h&step=1d&" + parameters)).as_object();
  }
  // Returns the number of samples in each range of values, keyed by the lower bound of the range.
  std::map<double, double> ranges(const std::string& parameters) const {
    const boost::json::object answer = heatmap(parameters);
    std::map<double, double> out;
    const auto& counts = answer.at("counts").as_array();
    for (size_t row = 0; row < counts.size(); ++row) {
      double& sum = out[answer.at("buckets").at(row).at(0).to_number<double>()];
      for (const auto& count : counts[row].as_array()) sum += count.to_number<double>();
    }
    return out;
  }
  static std::string hundred_lines() {
    std::string lines;
    for (int i = 1; i <= 100; ++i) lines += "%d " + std::to_string(i) + "\n";
    return lines;
  }

  const std::map<double, double> hundred_by_powers_ = {{1, 1},   {2, 2},   {4, 4},  {8, 8},
                                                       {16, 16}, {32, 32}, {64, 37}};
  ServerProcess server_{STATMILL_BIN, {"--statsd.listen", "127.0.0.1:0"}};
};

TEST_F(DistributionsE2e, DistributionsSurviveAKillAndAFlush) {
  server_.send(hundred_lines());
  EXPECT_EQ(ranges("series=d&grouping=0"), hundred_by_powers_);
  server_.wait_until_durable();
  server_.kill();
  server_.start();
  EXPECT_EQ(ranges("series=d&grouping=0"), hundred_by_powers_) << "from the journal";
  ASSERT_EQ(server_.cli({"flush", "--compact"}).status, 0);
  EXPECT_EQ(ranges("series=d&grouping=0"), hundred_by_powers_) << "from the files";
  ASSERT_EQ(server_.stop(), 0);
  const Ended checked = server_.cli({"check", (server_.data() / "data").string()});
  EXPECT_EQ(checked.status, 0) << checked.out << checked.said;
  server_.start();
  EXPECT_EQ(ranges("series=d&grouping=0"), hundred_by_powers_);
}

TEST_F(DistributionsE2e, TheCommandLineReturnsPercentiles) {
  server_.send(hundred_lines() + "gauge 5\n");
  const auto query = [&](const std::string& name) {
    return server_.cli({"query", name, "--from", "-10m", "--step", "1d", "--stats", "count,p50,p99,p100",
                        "--format", "csv"});
  };
  const Ended answer = query("d");
  EXPECT_EQ(answer.status, 0) << answer.said;
  EXPECT_THAT(answer.out, HasSubstr(",100,50.5,99,100\n"));
  EXPECT_THAT(query("gauge").out, HasSubstr(",1,,,\n"));
}

// Two hosts send histograms, a third sends samples.
TEST_F(DistributionsE2e, HistogramsOfSeveralHostsMergeExactly) {
  server_.send("%took;host=a h5 41 20:1 21:1\n%took;host=b h7 1020 20:1 506:1\n");
  ServerProcess::send_to(server_.listener("statsd"), "took:20|ms|#host:c\ntook:21|h|@0.5|#host:c\n");
  EXPECT_EQ(ranges("series=took*"), (std::map<double, double>{{20, 3}, {21, 3}, {992, 1}}));
  EXPECT_EQ(heatmap("series=took*").at("series").as_array().size(), 3U);
  const auto totals = server_.totals("took*");
  EXPECT_EQ(totals.at("took;host=a").sum, 41);
  EXPECT_EQ(totals.at("took;host=b").sum, 1020);
  EXPECT_EQ(totals.at("took;host=c").count, 3);
}

TEST_F(DistributionsE2e, PercentilesSayHowNearTheyAre) {
  server_.send("%took h5 20 20:1\n");
  const auto within = [&] { return server_.get("/api/v1/query?series=took&stats=p50&max_points=1"); };
  EXPECT_THAT(within(), HasSubstr(R"("within":0.015625)"));
  server_.wait_until_durable();
  server_.send("%took h3 20 18:1\n");
  EXPECT_THAT(within(), HasSubstr(R"("within":0.078125)"));
  server_.wait_until_durable();
  server_.kill();
  server_.start();
  EXPECT_THAT(within(), HasSubstr(R"("within":0.078125)")) << "from the series' row";
  ASSERT_EQ(server_.cli({"rename", "took", "taken"}).status, 0);
  EXPECT_THAT(server_.get("/api/v1/heatmap?series=taken"), HasSubstr(R"("within":0.078125)"));
}

TEST_F(DistributionsE2e, AHeatmapOfAGaugeIsAnError) {
  server_.send("gauge 5\n");
  const HttpReply answer = http_get(server_.http(), "/api/v1/heatmap?series=gauge");
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.body, HasSubstr("none of these series is a distribution"));
}

}  // namespace
}  // namespace statmill
