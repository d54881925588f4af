// Limits hold under attack: hostile names use no memory, existing series accept samples, every refusal is
// counted, and the status shows the offender.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fstream>

#include "tests/e2e/server_process.h"
#include "tests/support/sanitized.h"

namespace statmill {
namespace {

using testing::HasSubstr;

std::string refused_metric(const std::string& reason) {
  return "statmill_samples_refused_total{listener=\"tcp\",reason=\"" + reason + "\"}";
}

std::string names(const std::string& prefix, int begin, int end) {
  std::string out;
  for (int i = begin; i < end; ++i) out += prefix + "." + std::to_string(i) + ".of.some.length 1\n";
  return out;
}

size_t resident_bytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  size_t all = 0;
  size_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(LimitsE2e, HostileNamesUseNoMemoryAndExistingSeriesAcceptSamples) {
  constexpr int kSeries = 20'000;
  constexpr int kRounds = 10;
  constexpr int kHostile = 50'000;  // names per round
  ServerProcess server(STATMILL_BIN, {"--limits.series", std::to_string(kSeries)});
  server.start();
  server.send(names("old", 0, kSeries));  // the last few are refused: the server has some series of its own
  ASSERT_EQ(server.metric("statmill_series"), kSeries);
  const auto round = [&](int n) {
    server.send("old.7.of.some.length 1\n" + names("bomb" + std::to_string(n), 0, kHostile));
  };
  for (int i = 0; i < 2; ++i) {  // until the series are in the journal and all buffers have grown
    const double ticks = server.metric("statmill_ticks_total");
    round(0);
    ASSERT_TRUE(server.wait_for_metric("statmill_ticks_total", ticks + 1));
  }
  const double name_bytes = server.metric("statmill_name_bytes");
  const double refused = server.metric(refused_metric("series_limit"));
  const size_t resident = resident_bytes(server.process().pid());
  for (int n = 1; n <= kRounds; ++n) round(n);
  EXPECT_EQ(server.metric(refused_metric("series_limit")) - refused, kRounds * kHostile);
  EXPECT_EQ(server.metric("statmill_series"), kSeries);
  EXPECT_EQ(server.metric("statmill_name_bytes"), name_bytes);
  const size_t resident_after = resident_bytes(server.process().pid());
  constexpr bool kIsPlain = !kIsSanitized;  // sanitizers keep freed memory
  EXPECT_TRUE(!kIsPlain || resident_after <= resident + resident / 10) << resident << " " << resident_after;
  RecordProperty("resident_bytes", std::to_string(resident));
  RecordProperty("resident_bytes_after", std::to_string(resident_after));
  EXPECT_EQ(server.totals("old.7.*").at("old.7.of.some.length").sum, 1 + 2 + kRounds);
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

TEST(LimitsE2e, StatusShowsTheOffenderAndItsLines) {
  ServerProcess server(STATMILL_BIN, {"--limits.series_per_sender", "100"});
  server.start();
  server.send(names("host.web1", 0, 100));
  ASSERT_TRUE(server.wait_for_metric("statmill_samples_accepted_total{listener=\"tcp\"}", 100));
  server.send(names("bomb", 0, 5000));
  UdpSender udp(server.line());
  ASSERT_TRUE(udp.send("cpu much\x1b[2J\n"));
  ASSERT_TRUE(server.wait_for_metric("statmill_samples_received_total{listener=\"udp\"}", 1));
  EXPECT_EQ(server.metric(refused_metric("sender_limit")), 5000);
  EXPECT_EQ(http_post(server.http(), "/api/v1/lines", "posted 1\nhost.web1.5.of.some.length 1\n").status, 200)
      << "another sender has its own limit";

  const auto rejects = boost::json::parse(server.get("/api/v1/status/rejects")).at("rejects");
  EXPECT_EQ(rejects.at(0).at("listener"), "udp");
  EXPECT_EQ(rejects.at(0).at("sender"), "127.0.0.1");
  EXPECT_EQ(rejects.at(0).at("line"), "cpu much\\x1b[2J");
  EXPECT_EQ(rejects.at(1).at("reason"), "sender_limit");
  EXPECT_THAT(std::string(rejects.at(1).at("sender").as_string()), testing::StartsWith("127.0.0.1:"));
  EXPECT_THAT(server.cli({"rejects"}).out, HasSubstr("udp       127.0.0.1"));

  const std::string cardinality = server.cli({"cardinality", "--parts", "2"}).out;
  EXPECT_THAT(cardinality, HasSubstr("host.web1"));
  EXPECT_THAT(cardinality, HasSubstr("127.0.0.1             5000\n"));
  EXPECT_THAT(cardinality, HasSubstr("bomb               5000\n"));
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

}  // namespace
}  // namespace statmill
