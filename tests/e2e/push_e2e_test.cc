// Pushes of jobs, as to a Prometheus Pushgateway.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "proto/protobuf_writer.h"
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

constexpr const char* kFamilies =
    "Content-Type: application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; "
    "encoding=delimited\r\n";

// A family of one metric, as Go's client sends it. `fields` is the message of its value, in `field`.
std::string family(const std::string& name, uint64_t type, uint64_t field, const std::string& value) {
  ProtobufWriter metric;
  metric.bytes(field, value);
  ProtobufWriter out;
  out.bytes(1, name);
  out.bytes(2, "Help of " + name + ".");
  out.integer(3, type);
  out.bytes(4, metric.text());
  ProtobufWriter delimited;
  delimited.bytes(1, out.text());
  return delimited.text().substr(1);
}

TEST_F(PushE2e, FamiliesOfGoAddUpExactly) {
  for (int i = 1; i <= 4; ++i) {
    ProtobufWriter counter;
    counter.real(1, 10 * i);
    ProtobufWriter gauge;
    gauge.real(1, 1.5 * i);
    ProtobufWriter bucket;
    bucket.integer(1, static_cast<uint64_t>(i));
    bucket.real(2, 0.5);
    ProtobufWriter histogram;
    histogram.integer(1, static_cast<uint64_t>(2 * i));
    histogram.real(2, 0.25 * i);
    histogram.bytes(3, bucket.text());
    const std::string body = family("rows_total", 0, 3, counter.text()) +
                             family("go.heap", 1, 2, gauge.text()) + family("took", 4, 7, histogram.text());
    const HttpReply reply = send(i % 2 == 0 ? "PUT" : "POST", "/metrics/job/j", body, kFamilies);
    EXPECT_EQ(reply.status, 200) << reply.body;
  }
  EXPECT_EQ(server_.totals("rows_total;*").at("rows_total;job=j").sum, 30);
  EXPECT_EQ(server_.totals("go.heap;*").at("go.heap;job=j").sum, 15);
  EXPECT_EQ(server_.totals("took_bucket;*").at("took_bucket;job=j;le=0.5").sum, 3);
  EXPECT_EQ(server_.totals("took_bucket;*").at("took_bucket;job=j;le=+Inf").sum, 6);
  EXPECT_EQ(server_.totals("took_count;*").at("took_count;job=j").sum, 6);
  EXPECT_EQ(server_.totals("took_sum;*").at("took_sum;job=j").sum, 0.75);
  const Ended described = server_.cli({"describe", "rows_total;job=j"});
  EXPECT_THAT(described.out, HasSubstr("Help of rows_total."));
  EXPECT_EQ(server_.conservation(), "");
}

TEST_F(PushE2e, FamiliesWithAFaultAreRefusedAsAWhole) {
  ProtobufWriter gauge;
  gauge.real(1, 1);
  const std::string good = family("good", 1, 2, gauge.text());
  EXPECT_EQ(send("PUT", "/metrics/job/j", good + "\xff", kFamilies).status, 400);
  const HttpReply other = send("PUT", "/metrics/job/j", good + family("bad", 0, 2, gauge.text()), kFamilies);
  EXPECT_EQ(other.status, 400);
  EXPECT_THAT(other.body, HasSubstr("without a value of its family's type"));
  ProtobufWriter native;
  native.integer(5, 3);
  EXPECT_THAT(send("PUT", "/metrics/job/j", good + family("n", 4, 7, native.text()), kFamilies).body,
              HasSubstr("native histogram"));
  EXPECT_EQ(server_.totals("good;*").size(), 0U);
  EXPECT_EQ(send("PUT", "/metrics/job/j", good, kFamilies).status, 200);
  EXPECT_EQ(server_.totals("good;*").size(), 1U);
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
