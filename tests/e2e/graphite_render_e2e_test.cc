// /render of a real server: what Grafana sends over HTTP, in both methods, over stored samples and after a
// restart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/e2e/server_process.h"
#include "tests/support/http_client.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class GraphiteRenderE2e : public testing::Test {
 protected:
  void SetUp() override {
    server_.start();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    first_s_ = std::chrono::duration_cast<std::chrono::seconds>(now).count() / 60 * 60 - 600;
    std::string lines;
    for (int i = 0; i < 60; ++i) {
      const std::string time = " " + std::to_string(first_s_ + i * 10) + "\n";
      lines += "web.a.load " + std::to_string(i == 30 ? 1000 : 10) + time;
      lines += "web.b.load 20" + time;
    }
    ServerProcess::send_to(server_.listener("graphite"), lines);
    ASSERT_TRUE(server_.wait_for_metric("statmill_samples_accepted_total{listener=\"graphite_tcp\"}", 120));
  }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }
  // The range is that of the samples.
  std::string form(const std::string& target, const std::string& more = "") const {
    return "target=" + target + "&from=" + std::to_string(first_s_ - 10) +
           "&until=" + std::to_string(first_s_ + 590) + "&format=json" + more;
  }

  ServerProcess server_{STATMILL_BIN, {"--graphite.listen", "127.0.0.1:0"}};
  int64_t first_s_ = 0;
};

TEST_F(GraphiteRenderE2e, TargetsAreComputedOverWhatIsStored) {
  const std::string maxima = form("consolidateBy(web.a.load,%27max%27)", "&maxDataPoints=5");
  const std::string sums = form("aliasSub(sumSeries(web.*.load),%20%22(%5E.*%24)%22,%20%22%5C1%20A%22)");
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_THAT(server_.get("/render?" + maxima), HasSubstr("[1000,"));
    const std::string sum = server_.get("/graphite/render?" + sums);
    EXPECT_THAT(sum, HasSubstr("\"target\":\"sumSeries(web.*.load) A\""));
    EXPECT_THAT(sum, HasSubstr("[1020," + std::to_string(first_s_ + 300) + "]"));
    EXPECT_THAT(sum, HasSubstr("[30," + std::to_string(first_s_) + "]"));
    EXPECT_THAT(sum, HasSubstr("[30," + std::to_string(first_s_ + 590) + "]"));
    if (turn == 1) break;
    server_.wait_until_durable();
    EXPECT_EQ(server_.stop(), 0);
    server_.start();
  }
}

TEST_F(GraphiteRenderE2e, EventsAreCounted) {
  for (const std::string tags : {"deploy web", "deploy db"}) {
    const std::string body =
        R"({"what":"x","tags":")" + tags + R"(","when":)" + std::to_string(first_s_ + 5) + "}";
    EXPECT_EQ(http_raw(server_.http(),
                       "POST /events/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                       "Content-Length: " +
                           std::to_string(body.size()) + "\r\n\r\n" + body)
                  .status,
              200);
  }
  const std::string at = "," + std::to_string(first_s_ + 5) + "]";
  EXPECT_THAT(server_.get("/render?" + form("events(%27deploy%27)")), HasSubstr("[2" + at));
  EXPECT_THAT(server_.get("/render?" + form("events(%27web%27,%27deploy%27)")), HasSubstr("[1" + at));
  EXPECT_THAT(server_.get("/render?" + form("events(%27*%27)", "&maxDataPoints=10")), HasSubstr("[2,"));
}

TEST_F(GraphiteRenderE2e, SamplesOfAllSeriesHaveOneMean) {
  // 59 of 10, one of 1000, and 60 of 20.
  EXPECT_THAT(server_.get("/render?" + form("aggregate(web.*.load,%27pool%27)", "&maxDataPoints=1")),
              HasSubstr("[23.25,"));
  const HttpReply refused = http_get(server_.http(), "/render?" + form("aggregate(web.*.load,%27p99%27)"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("percentiles are of distributions only"));
}

TEST_F(GraphiteRenderE2e, AZoneThatIsNoneIsNamed) {
  const HttpReply refused = http_get(server_.http(), "/render?target=x&tz=Europe/Nowhere");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("parameter tz: "));
}

TEST_F(GraphiteRenderE2e, FunctionsAreListed) {
  EXPECT_THAT(server_.get("/graphite/functions"), HasSubstr("\"movingAverage\":{\"name\":\"movingAverage\""));
  EXPECT_THAT(server_.get("/functions/scale"), HasSubstr("\"group\":\"Transform\""));
}

}  // namespace
}  // namespace statmill
