// Graphite and statsd senders are served on their own ports, their series have the names that they send, and
// each listener accounts for every sample.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

class DialectsE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    expect_conservation();
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }
  // Checks for every listener in /metrics that received == accepted + refused.
  void expect_conservation() const {
    const std::string metrics = server_.get("/metrics");
    std::map<std::string, double> missing;
    for (const std::string_view line : split(metrics, '\n')) {
      constexpr std::string_view kListener = "{listener=\"";
      const size_t at = line.find(kListener);
      const bool is_of_account = line.starts_with("statmill_samples_received") ||
                                 line.starts_with("statmill_samples_accepted") ||
                                 line.starts_with("statmill_samples_refused");
      if (!is_of_account || at == std::string_view::npos) continue;
      const std::string_view rest = line.substr(at + kListener.size());
      const double value = std::stod(std::string(line.substr(line.rfind(' '))));
      missing[std::string(rest.substr(0, rest.find('"')))] +=
          line.starts_with("statmill_samples_received") ? value : -value;
    }
    for (const char* listener :
         {"tcp", "udp", "graphite_tcp", "graphite_udp", "statsd_tcp", "statsd_udp", "statsd_sets"}) {
      EXPECT_EQ(missing.count(listener), 1U) << listener;
    }
    for (const auto& [listener, samples] : missing) EXPECT_EQ(samples, 0) << listener;
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

  ServerProcess server_{STATMILL_BIN, {"--graphite.listen", "127.0.0.1:0", "--statsd.listen", "127.0.0.1:0"}};
};

TEST_F(DialectsE2e, AcceptsGraphiteLinesWithTagsOverTcpAndUdp) {
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

TEST_F(DialectsE2e, OnlyTheLinePortAcceptsOtherKinds) {
  server_.send("gauge 1\n*event 1\n");
  server_.send("*gauge 2\nevent 2\n");  // as samples of the series' kinds
  ASSERT_TRUE(UdpSender(server_.line()).send("%gauge 3\n"));
  ServerProcess::send_to(server_.listener("graphite"), "event 4\ngauge 4\n");
  ServerProcess::send_to(server_.listener("statsd"), "gauge:5|c\nevent:5|g\nevent:5|c\n");
  const Ended put = server_.cli({"put", "*gauge", "6"});
  EXPECT_EQ(put.status, 8) << put.out << put.said;
  EXPECT_THAT(put.said, testing::HasSubstr("kind_mismatch"));
  ASSERT_TRUE(wait_for_received("udp", 1));
  EXPECT_EQ(total("gauge").sum, 1 + 2 + 3 + 4);
  EXPECT_EQ(total("event").sum, 1 + 2 + 5);
  const auto mismatches = [&](const std::string& listener) {
    return server_.metric("statmill_samples_refused_total{listener=\"" + listener +
                          "\",reason=\"kind_mismatch\"}");
  };
  EXPECT_EQ(mismatches("tcp") + mismatches("udp"), 0);
  EXPECT_EQ(account("other_kind", "tcp"), 2);
  EXPECT_EQ(account("other_kind", "udp"), 1);
  EXPECT_EQ(mismatches("graphite_tcp"), 1);
  EXPECT_EQ(mismatches("statsd_tcp"), 2);
  EXPECT_EQ(mismatches("http"), 1);
  const std::string rejects = server_.cli({"rejects", "--format", "csv"}).out;
  EXPECT_THAT(rejects, testing::ContainsRegex(",tcp,127.0.0.1:[0-9]+,kind_mismatch,yes,5,gauge\n"));
  EXPECT_THAT(rejects, testing::ContainsRegex(",udp,127.0.0.1,kind_mismatch,yes,5,gauge\n"));
  EXPECT_THAT(rejects, testing::ContainsRegex(",graphite_tcp,127.0.0.1:[0-9]+,kind_mismatch,no,5,event\n"));
  EXPECT_THAT(rejects, testing::ContainsRegex(",http,http,kind_mismatch,no,5,gauge\n"));
}

TEST_F(DialectsE2e, SettingsReverseTheRulesForOtherKinds) {
  ServerProcess reversed(STATMILL_BIN,
                         {"--line.kind_mismatch", "refuse", "--limits.kind_mismatch", "accept"});
  reversed.start();
  reversed.send("gauge 1\n*gauge 2\n");
  EXPECT_EQ(reversed.cli({"put", "*gauge", "4"}).status, 0);
  EXPECT_EQ(reversed.totals("gauge").at("gauge").sum, 1 + 4);
  EXPECT_EQ(reversed.metric("statmill_samples_refused_total{listener=\"tcp\",reason=\"kind_mismatch\"}"), 1);
  EXPECT_EQ(reversed.metric("statmill_samples_other_kind_total{listener=\"http\"}"), 1);
  EXPECT_EQ(reversed.stop(), 0);
}

TEST_F(DialectsE2e, AcceptsEveryStatsdType) {
  UdpSender statsd(server_.listener("statsd"));
  ASSERT_TRUE(
      statsd.send("web.requests:1|c|@0.1|#host:web1\n"
                  "web.latency:12.5:13:11|ms\n"
                  "users:anna|s\nusers:bert|s\nusers:anna|s\n"
                  "bad:1|zz"));
  ASSERT_TRUE(statsd.send("queue:10|g\nqueue:+4|g\n"));
  ASSERT_TRUE(statsd.send("queue:-1|g"));
  ServerProcess::send_to(server_.listener("statsd"), "Web.Requests{x}:2|c\n");
  ASSERT_TRUE(wait_for_received("statsd_udp", 11));
  EXPECT_EQ(account("accepted", "statsd_udp"), 10);
  EXPECT_EQ(account("accepted", "statsd_tcp"), 1);
  EXPECT_EQ(total("web.requests;host=web1").sum, 10);
  EXPECT_EQ(total("web.latency").count, 3);
  EXPECT_EQ(total("web.latency").sum, 36.5);
  EXPECT_EQ(total("queue").sum, 10 + 14 + 13);
  EXPECT_EQ(total("Web.Requests{x}").sum, 2);
  expect_conservation();
  ASSERT_EQ(server_.stop(), 0) << "a stop reports the open slots of sets";
  server_.start();
  EXPECT_EQ(total("users").count, 1);
  EXPECT_EQ(total("users").sum, 2);
}

TEST_F(DialectsE2e, FindsNamesWithCapitalsAndPatternCharactersLiterally) {
  const std::vector<std::string> names = {
      "Web.Latency", "jvm.GC[old].time", "queue[7", "rows{a,b}", "half{open", "what?", "all.*",
      "2^10",        "path;Tag=A[0-9]"};
  std::string lines;
  for (const std::string& name : names) lines += name + " 5\n";
  ServerProcess::send_to(server_.listener("graphite"), lines);
  ASSERT_TRUE(UdpSender(server_.listener("graphite")).send(lines));
  ASSERT_TRUE(wait_for_received("graphite_udp", static_cast<double>(names.size())));
  for (const std::string& name : names) EXPECT_EQ(total(name).sum, 10) << name;
  EXPECT_EQ(server_.totals("web.latenc[y]").size(), 0U) << "names are case-sensitive";
  EXPECT_EQ(server_.totals("*").count("queue[7"), 1U);
}

}  // namespace
}  // namespace statmill
