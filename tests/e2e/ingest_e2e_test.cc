// Samples sent over TCP, UDP and HTTP can be queried, no sender can harm another, and every sample is
// accounted for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;

constexpr const char* kTcpAccepted = "statmill_samples_accepted_total{listener=\"tcp\"}";
constexpr const char* kUdpAccepted = "statmill_samples_accepted_total{listener=\"udp\"}";
constexpr const char* kDatagrams = "statmill_udp_datagrams_total{listener=\"udp\"}";
constexpr const char* kDatagramsDropped = "statmill_udp_datagrams_dropped_total{listener=\"udp\"}";

class IngestE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }
  double refused(const std::string& reason) const {
    return server_.metric("statmill_samples_refused_total{listener=\"tcp\",reason=\"" + reason + "\"}");
  }

  ServerProcess server_{STATMILL_BIN};
};

TEST_F(IngestE2e, ReturnsASampleAtOnce) {
  server_.send("web.latency 12.5\nweb.latency 13.5\n*shop.orders^east^ 3\n");
  const auto totals = server_.totals("*.*");
  EXPECT_EQ(totals.at("web.latency").count, 2);
  EXPECT_EQ(totals.at("web.latency").sum, 26);
  EXPECT_EQ(totals.at("shop.orders.east").sum, 3);
  EXPECT_EQ(server_.totals("shop.orders").at("shop.orders").sum, 3);
  EXPECT_THAT(server_.get("/api/v1/series?match=shop.*"),
              HasSubstr(R"({"name":"shop.orders.east","kind":"event")"));
}

TEST_F(IngestE2e, AcceptsDatagramsOfManyLinesWithOrWithoutALastNewline) {
  UdpSender sender(server_.line());
  std::string datagram;
  for (int i = 0; i < 1000; ++i) datagram += "udp.many 1\n";
  ASSERT_TRUE(sender.send(datagram));
  ASSERT_TRUE(sender.send("udp.one 7"));
  ASSERT_TRUE(server_.wait_for_metric(kUdpAccepted, 1001));
  EXPECT_EQ(server_.totals("udp.many").at("udp.many").count, 1000);
  EXPECT_EQ(server_.totals("udp.one").at("udp.one").sum, 7);
}

TEST_F(IngestE2e, CountsEveryDatagramAsReceivedOrDroppedByTheKernel) {
  constexpr int kFirst = 20'000;
  UdpSender sender(server_.line());
  const std::string datagram(1000, '\n');
  for (int i = 0; i < kFirst; ++i) ASSERT_TRUE(sender.send(datagram + "burst 1\n"));
  // The kernel reports its drops with the next datagram that it accepts, so send until the sum is complete.
  const auto seen = [&] { return server_.metric(kDatagrams) + server_.metric(kDatagramsDropped); };
  int sent = kFirst;
  for (int i = 0; i < 1000 && seen() < sent; ++i, ++sent) ASSERT_TRUE(sender.send("burst 1\n"));
  ASSERT_TRUE(server_.wait_for_metric(kDatagrams, sent - server_.metric(kDatagramsDropped)));
  EXPECT_EQ(seen(), sent);
  EXPECT_EQ(server_.totals("burst").at("burst").count, server_.metric(kDatagrams));
}

TEST_F(IngestE2e, RefusesBadLinesByReasonAndAcceptsTheNext) {
  server_.send(
      "good 1\n"
      "a^^b 1\n"
      "good 2\n"
      "one_field\n"
      "nan.value nan\n"
      "inf.value inf\n"
      "word.value x\n"
      "good 1x 5\n"
      "@reserved 1\n"
      "far.future 99999999999 1\n"
      "far.past 1000 1\n"
      "bad.bucket 1 2 3\n"
      "bad.ready 1700000000 30 0 1 2 3\n"
      "good 3\n"
      "#\n"
      "#host web1\n");
  EXPECT_EQ(server_.totals("good").at("good").sum, 6);
  EXPECT_EQ(refused("empty_name"), 1);
  EXPECT_EQ(refused("field_count"), 2);
  EXPECT_EQ(refused("not_finite"), 2);
  EXPECT_EQ(refused("bad_value"), 1);
  EXPECT_EQ(refused("bad_time"), 1);
  EXPECT_EQ(refused("reserved"), 1);
  EXPECT_EQ(refused("too_new"), 1);
  EXPECT_EQ(refused("too_old"), 1);
  EXPECT_EQ(refused("bad_bucket"), 1);
  EXPECT_EQ(refused("bad_metadata"), 1);
  EXPECT_EQ(server_.metric(kTcpAccepted), 3);
}

TEST_F(IngestE2e, OverlongAndUnterminatedLinesAffectNoOtherLine) {
  server_.send(std::string(1 << 20, 'x') + "\ngood 1\ncut.short 12");
  EXPECT_EQ(refused("line_too_long"), 1);
  EXPECT_EQ(refused("unterminated"), 1);
  EXPECT_EQ(server_.totals("good").at("good").sum, 1);
}

TEST_F(IngestE2e, ASilentOrGarbageSenderBlocksNoOther) {
  TcpConnection silent = TcpConnection::to(server_.line());
  TcpConnection half = TcpConnection::to(server_.line());
  ASSERT_TRUE(half.send("half.a.line"));
  TcpConnection garbage = TcpConnection::to(server_.line());
  ASSERT_TRUE(garbage.send(std::string(100'000, '\xff') + "\n"));
  server_.send("good 1\n");
  EXPECT_EQ(server_.totals("good").at("good").sum, 1);
  ASSERT_TRUE(half.send(" 5\n"));
  half.finish_sending();
  EXPECT_EQ(half.receive_all(), "");
  EXPECT_EQ(server_.totals("half.*").at("half.a.line").sum, 5);
  garbage.abort();
  server_.send("good 1\n");
  EXPECT_EQ(server_.totals("good").at("good").sum, 2);
}

TEST_F(IngestE2e, ShowsTheMetadataThatASenderSends) {
  TcpConnection sender = TcpConnection::to(server_.line());
  ASSERT_TRUE(sender.send("#hostname web1\n#version 7\nx 1\n"));
  ASSERT_TRUE(server_.wait_for_metric(kTcpAccepted, 1));
  EXPECT_THAT(server_.get("/api/v1/status"), HasSubstr(R"("metadata":{"hostname":"web1","version":"7"})"));
}

TEST_F(IngestE2e, AnswersPostedLinesWithTheirCounts) {
  const HttpReply good = http_post(server_.http(), "/api/v1/lines", "posted 1\nposted 2\n");
  EXPECT_EQ(good.status, 200);
  EXPECT_THAT(good.body, HasSubstr(R"("received":2,"accepted":2)"));
  const HttpReply bad = http_post(server_.http(), "/api/v1/lines", "posted 3\nposted nan\n");
  EXPECT_EQ(bad.status, 400);
  EXPECT_THAT(bad.body, HasSubstr(R"("not_finite":1)"));
  EXPECT_EQ(server_.totals("posted").at("posted").sum, 6);
}

TEST_F(IngestE2e, AllOfManyConnectionsAreServed) {
  std::vector<TcpConnection> senders;
  for (int i = 0; i < 200; ++i) senders.push_back(TcpConnection::to(server_.line()));
  for (TcpConnection& sender : senders) ASSERT_TRUE(sender.send("crowd 1\n"));
  ASSERT_TRUE(server_.wait_for_metric(kTcpAccepted, 200));
  EXPECT_EQ(server_.totals("crowd").at("crowd").count, 200);
}

TEST(IngestLimitsE2e, ConnectionsOverTheLimitAreClosedAndCountedAndTheOthersServed) {
  ServerProcess server(STATMILL_BIN,
                       {"--line.connections", "2", "--line.per_address", "2", "--limits.series", "200"});
  server.start();
  TcpConnection first = TcpConnection::to(server.line());
  TcpConnection second = TcpConnection::to(server.line());
  ASSERT_TRUE(first.send("kept.a 1\n") && second.send("kept.b 1\n"));
  ASSERT_TRUE(server.wait_for_metric(kTcpAccepted, 2));
  TcpConnection third = TcpConnection::to(server.line());
  EXPECT_EQ(third.receive(), "") << "closed at once";
  EXPECT_EQ(server.metric("statmill_line_connections_refused_total{listener=\"tcp\",reason=\"limit\"}"), 1);
  std::string names;
  for (int i = 0; i < 1000; ++i) names += "bomb." + std::to_string(i) + " 1\n";
  ASSERT_TRUE(first.send(names) && second.send("kept.b 1\n"));
  ASSERT_TRUE(server.wait_for_metric("statmill_samples_received_total{listener=\"tcp\"}", 1003));
  EXPECT_GT(server.metric("statmill_samples_refused_total{listener=\"tcp\",reason=\"series_limit\"}"), 800);
  EXPECT_EQ(server.totals("kept.b").at("kept.b").count, 2) << "a known series accepts samples at the limit";
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(IngestE2e, ReportsReadyAndHealthy) {
  EXPECT_EQ(http_get(server_.http(), "/healthz").status, 200);
  EXPECT_EQ(server_.get("/readyz"), "{\"ready\":true}\n");
}

}  // namespace
}  // namespace statmill
