// Graphite's and statsd's senders are heard on ports of their own and found under the names they use; every
// sample is accounted for on each listener.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class DialectsE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    for (const char* listener : {"graphite_tcp", "graphite_udp"}) {
      EXPECT_GT(account("received", listener), 0) << listener;
    }
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }
  double account(const std::string& what, const std::string& listener) const {
    return server_.metric("statmill_samples_" + what + "_total{listener=\"" + listener + "\"}");
  }
  bool wait_for_received(const std::string& listener, double least) const {
    return server_.wait_for_metric("statmill_samples_received_total{listener=\"" + listener + "\"}", least);
  }
  SeriesTotals total(const std::string& name) const {
    const auto totals = server_.totals(name);
    const auto found = totals.find(name);
    return found == totals.end() ? SeriesTotals{} : found->second;
  }

  ServerProcess server_{STATMILL_BIN, {"--graphite.listen", "127.0.0.1:0"}};
};

TEST_F(DialectsE2e, TakesGraphitesLinesWithTagsByTcpAndUdp) {
  const Endpoint graphite = server_.listener("graphite");
  ServerProcess::send_to(graphite,
                         "disk.used;host=web1;device=sda 12.5 -1\n"
                         "disk.used;device=sda;host=web1 13.5 N\r\n"
                         "no.value\n"
                         "disk.used;host=web1;host=web2 1\n"
                         "last.line 3");
  ASSERT_TRUE(UdpSender(graphite).send("disk.used;host=web2 7\ndisk.used;host= 7"));
  ASSERT_TRUE(wait_for_received("graphite_udp", 2));
  EXPECT_EQ(total("disk.used;device=sda;host=web1").count, 2);
  EXPECT_EQ(total("disk.used;device=sda;host=web1").sum, 26);
  EXPECT_EQ(total("disk.used;host=web2").sum, 7);
  EXPECT_EQ(total("last.line").sum, 3);
  EXPECT_EQ(account("accepted", "graphite_tcp"), 3);
  EXPECT_EQ(account("accepted", "graphite_udp"), 1);
  EXPECT_EQ(server_.totals("disk.used;*").size(), 2U);
}

TEST_F(DialectsE2e, FindsNamesWithCapitalsAndBytesOfPatternsUnderTheirPlainNames) {
  const std::vector<std::string> names = {
      "Web.Latency", "jvm.GC[old].time", "queue[7", "rows{a,b}", "half{open", "what?", "all.*",
      "2^10",        "path;Tag=A[0-9]"};
  std::string lines;
  for (const std::string& name : names) lines += name + " 5\n";
  ServerProcess::send_to(server_.listener("graphite"), lines);
  ASSERT_TRUE(UdpSender(server_.listener("graphite")).send(lines));
  ASSERT_TRUE(wait_for_received("graphite_udp", static_cast<double>(names.size())));
  for (const std::string& name : names) EXPECT_EQ(total(name).sum, 10) << name;
  EXPECT_EQ(server_.totals("web.latenc[y]").size(), 0U) << "another name";
  EXPECT_EQ(server_.totals("*").count("queue[7"), 1U);
}

}  // namespace
}  // namespace statmill
