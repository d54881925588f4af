// Heavy queries hold nothing up, and end when nobody wants them any more.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

constexpr int kHeavySeries = 60;
constexpr int64_t kHeavySlots = 8640;  // a day

class QueryE2e : public testing::Test {
 protected:
  // A day of distributions: some seconds of work for one query.
  void start_with_heavy_data() {
    server_.start();
    const int64_t now_s =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    std::string lines;
    for (int64_t slot = kHeavySlots; slot-- > 0;) {
      for (int i = 0; i < kHeavySeries; ++i) {
        lines += "%heavy." + std::to_string(i) + " " + std::to_string(now_s - slot * 10) + " " +
                 std::to_string((slot * 7 + i) % 1000 + 1) + "\n";
      }
    }
    lines += "small 1\n";
    server_.send(lines);
  }
  std::future<HttpReply> ask_heavy() {
    return std::async(std::launch::async, [endpoint = server_.http()] {
      return http_get(
          endpoint,
          "/api/v1/query?series=heavy.*&from=-1d&step=10&stats=p1,p10,p20,p30,p40,p50,p60,p70,p80,p90");
    });
  }
  bool heavy_ones_run() {
    return wait_until([this] {
      const auto report = boost::json::parse(server_.get("/api/v1/status/queries"));
      for (const auto& query : report.at("running").as_array()) {
        if (query.at("cost").at("slots").to_number<int64_t>() > 0) return true;
      }
      return false;
    });
  }

  ServerProcess server_{STATMILL_BIN,
                        {"--query.heavy", "100000", "--query.threads", "1", "--query.slow", "1ms"}};
};

TEST_F(QueryE2e, HeavyQueriesHoldNothingUpAndEndWithTheServer) {
  ASSERT_NO_FATAL_FAILURE(start_with_heavy_data());
  auto first = ask_heavy();
  auto second = ask_heavy();
  ASSERT_TRUE(heavy_ones_run());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(http_get(server_.http(), "/healthz").status, 200);
    EXPECT_EQ(http_get(server_.http(), "/api/v1/query?series=small&from=-1m").status, 200);
  }
  const auto is_running = [](const auto& query) {
    return query.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
  };
  EXPECT_TRUE(is_running(first) || is_running(second)) << "all the others were answered meanwhile";
  EXPECT_EQ(server_.stop(), 0);
  const HttpReply last = second.get();
  EXPECT_EQ(last.status, 503);
  EXPECT_NE(last.body.find("the server stops"), std::string::npos) << last.body;
}

TEST_F(QueryE2e, AClientThatLeavesEndsItsQuery) {
  ASSERT_NO_FATAL_FAILURE(start_with_heavy_data());
  {
    const std::string url =
        "http://" + server_.http().text() +
        "/api/v1/query?series=heavy.*&from=-1d&step=10&stats=p1,p10,p20,p30,p40,p50,p60,p70,p80,p90";
    Process client(
        {"python3", {"-c", "import urllib.request; urllib.request.urlopen('" + url + "').read()"}, {}});
    ASSERT_TRUE(heavy_ones_run());
  }  // kills the client
  EXPECT_TRUE(server_.wait_for_metric("statmill_queries_canceled_total{by=\"client\"}", 1));
  EXPECT_EQ(server_.conservation(), "");
}

TEST_F(QueryE2e, AQueryEndsAtItsTimeoutAndIsReportedAsSlow) {
  ASSERT_NO_FATAL_FAILURE(start_with_heavy_data());
  const HttpReply reply =
      http_get(server_.http(), "/api/v1/query?series=heavy.*&from=-1d&step=10&stats=p99&timeout=20ms");
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("timeout: the query took longer than 20 ms"), std::string::npos) << reply.body;
  EXPECT_EQ(server_.metric("statmill_queries_canceled_total{by=\"timeout\"}"), 1);
  const auto line = server_.process().wait_for_line("slow query");
  ASSERT_TRUE(line);
  EXPECT_NE(line->find("heavy.*"), std::string::npos) << *line;
  const auto report = boost::json::parse(server_.get("/api/v1/status/queries"));
  const auto& slowest = report.at("slowest").as_array();
  ASSERT_FALSE(slowest.empty());
  EXPECT_EQ(slowest[0].at("status").to_number<int64_t>(), 503);
}

TEST_F(QueryE2e, ALimitNamesItsSetting) {
  ServerProcess server(STATMILL_BIN, {"--query.slots", "1000"});
  server.start();
  server.send("a 1\n");
  const HttpReply reply = http_get(server.http(), "/api/v1/query?series=a&from=-1d&step=10");
  EXPECT_EQ(reply.status, 422);
  EXPECT_NE(reply.body.find("over the limit of 1000 (--query.slots)"), std::string::npos) << reply.body;
  EXPECT_EQ(server.metric("statmill_queries_refused_total{limit=\"slots\"}"), 1);
}

}  // namespace
}  // namespace statmill
