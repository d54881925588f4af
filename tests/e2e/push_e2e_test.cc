// Pushes of jobs, as to a Prometheus Pushgateway.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class PushE2e : public testing::Test {
 protected:
  PushE2e() { server_.start(); }

  HttpReply send(const std::string& method, const std::string& path, const std::string& body,
                 const std::string& fields = "") {
    return http_raw(server_.http(), method + " " + path + " HTTP/1.1\r\nHost: " + server_.http().text() +
                                        "\r\nConnection: close\r\n" + fields +
                                        "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  ServerProcess server_{STATMILL_BIN};
};

TEST_F(PushE2e, APushIsDurableWhenItIsAnswered) {
  const std::string body = "# TYPE rows counter\nrows{db=\"a\",job=\"own\"} 5\nlast_s 1.5\n";
  EXPECT_EQ(send("PUT", "/metrics/job/backup/instance/db1", body).status, 200);
  server_.kill();
  server_.start();
  const auto totals = server_.totals("*;instance=db1;job=backup");
  EXPECT_EQ(totals.at("last_s;instance=db1;job=backup").sum, 1.5);
  EXPECT_EQ(totals.at("push_time_seconds;instance=db1;job=backup").count, 1);
  EXPECT_EQ(server_.totals("rows;*").count("rows;db=a;instance=db1;job=backup"), 1U);
  EXPECT_EQ(send("DELETE", "/metrics/job/backup/instance/db1", "").status, 202);
}

TEST_F(PushE2e, CountersOfAJobAddUp) {
  for (int i = 1; i <= 4; ++i)
    EXPECT_EQ(
        send("POST", "/metrics/job/j", "# TYPE rows counter\nrows " + std::to_string(10 * i) + "\n").status,
        200);
  EXPECT_EQ(server_.totals("rows;*").at("rows;job=j").sum, 30);
}

TEST_F(PushE2e, AFaultRefusesTheWholePush) {
  const HttpReply reply = send("PUT", "/metrics/job/j", "good 1\nbad x\n");
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("line 2: bad_value"));
  EXPECT_THAT(send("PUT", "/metrics/job/j", "good 1 1700000000000\n").body, HasSubstr("must have no time"));
  EXPECT_THAT(send("PUT", "/metrics/job/j", "good 1").body, HasSubstr("the end of the body is missing"));
  EXPECT_EQ(send("PUT", "/metrics/job/j/x", "good 1\n").status, 400);
  EXPECT_EQ(
      send("PUT", "/metrics/job/j", "good 1\n", "Content-Type: application/vnd.google.protobuf\r\n").status,
      415);
  EXPECT_EQ(send("PUT", "/metrics/job/j", "no gzip", "Content-Encoding: gzip\r\n").status, 400);
  EXPECT_EQ(server_.totals("good;*").size(), 0U);
  EXPECT_EQ(server_.conservation(), "");
}

// Debian's python3-prometheus-client.
TEST_F(PushE2e, TheClientOfPython) {
  if (run_program({"/usr/bin/python3", {"-c", "import prometheus_client"}, {}}).status != 0)
    GTEST_SKIP() << "python3-prometheus-client is not installed";
  const Ended sent = run_program({"/usr/bin/python3",
                                  {"-c", R"(
import sys
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, push_to_gateway, pushadd_to_gateway, delete_from_gateway
registry = CollectorRegistry()
rows = Counter('rows', 'Rows.', registry=registry)
last = Gauge('last_success_unixtime', 'Last.', registry=registry)
took = Histogram('took_seconds', 'Took.', registry=registry)
address = sys.argv[1]
for i in range(5):
    rows.inc(2)
    took.observe(i)
    last.set(i)
    (push_to_gateway if i % 2 else pushadd_to_gateway)(address, job='a/b', registry=registry, grouping_key={'dc': 'eu-x'})
delete_from_gateway(address, job='a/b', grouping_key={'dc': 'eu-x'})
)",
                                   server_.http().text()},
                                  {}});
  ASSERT_EQ(sent.status, 0) << sent.said;
  const std::string labels = ";dc=eu-x;job=a/b";
  EXPECT_EQ(server_.totals("rows_total;*").at("rows_total" + labels).sum, 8);
  EXPECT_EQ(server_.totals("took_seconds_sum;*").at("took_seconds_sum" + labels).sum, 10);
  EXPECT_EQ(server_.totals("last_success_unixtime;*").size(), 1U);
  EXPECT_EQ(server_.conservation(), "");
}

}  // namespace
}  // namespace statmill
