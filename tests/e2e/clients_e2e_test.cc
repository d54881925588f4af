// Programs of Debian that send or are scraped: collectd and carbon-c-relay. Each is skipped where it does not
// run (tools/install-packages --test unpacks them). Sums are exact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

const std::string kUnpacked = STATMILL_SOURCE_TREE "/build/unpacked/";

// Returns what collectd's plugin csv has written of each series, in the names of its plugin write_graphite.
// The files are HOST/PLUGIN/TYPE-DATE with a line of titles, "epoch,rx,tx" or "epoch,value".
std::map<std::string, SeriesTotals> csv_totals(const std::filesystem::path& folder) {
  std::map<std::string, SeriesTotals> out;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (!file.is_regular_file()) continue;
    const auto path = std::filesystem::relative(file.path(), folder);
    std::string type = path.filename();
    type.resize(type.size() - std::string("-2026-11-20").size());
    const std::string name = "h1." + path.parent_path().filename().string() + "." + type;
    std::ifstream stream(file.path());
    std::string line;
    std::getline(stream, line);
    const std::string titles = line;
    while (std::getline(stream, line)) {
      std::istringstream values(line);
      std::istringstream columns(titles);
      std::string value;
      std::string column;
      std::getline(values, value, ',');
      std::getline(columns, column, ',');
      while (std::getline(columns, column, ',') && std::getline(values, value, ',')) {
        SeriesTotals& total = out[column == "value" ? name : name + "." + column];
        ++total.count;
        total.sum += std::stod(value);
      }
    }
  }
  return out;
}

TEST(ClientsE2e, CollectdSendsAndIsScraped) {
  const std::string unpacked = kUnpacked + "collectd-core";
  const std::string program = unpacked + "/sbin/collectd";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << program << " is not there";
  const TempDirectory directory;
  const std::string folder = directory.path();
  const Endpoint target{"127.0.0.1", unused_port()};
  const std::string targets = directory.write(
      "targets.json", R"([{"targets": [")" + target.text() +
                          R"("], "labels": {"job": "collectd", "__scrape_interval__": "200ms"}}])");
  ServerProcess server(STATMILL_BIN, {"--graphite.listen", "127.0.0.1:0", "--scrape.targets", targets});
  server.start();
  const std::string settings = directory.write(
      "collectd.conf",
      "BaseDir \"" + folder + "\"\nPIDFile \"" + folder + "/pid\"\nPluginDir \"" + unpacked +
          "/lib/collectd\"\nTypesDB \"" + unpacked +
          "/share/collectd/types.db\"\nHostname \"h1\"\nFQDNLookup false\nInterval 0.2\n"
          "LoadPlugin load\nLoadPlugin memory\nLoadPlugin uptime\nLoadPlugin csv\n"
          "LoadPlugin write_graphite\nLoadPlugin write_prometheus\n"
          "<Plugin csv>\n  DataDir \"" +
          folder +
          "/csv\"\n  StoreRates false\n</Plugin>\n"
          "<Plugin write_graphite>\n  <Node \"statmill\">\n    Host \"127.0.0.1\"\n    Port \"" +
          std::to_string(server.listener("graphite").port) +
          "\"\n    Protocol \"tcp\"\n    StoreRates false\n  </Node>\n</Plugin>\n"
          "<Plugin write_prometheus>\n  Host \"127.0.0.1\"\n  Port \"" +
          std::to_string(target.port) + "\"\n</Plugin>\n");
  Process collectd({program, {"-f", "-C", settings}, {}});
  EXPECT_TRUE(wait_until([&] { return server.totals("h1.load.*")["h1.load.load.shortterm"].count >= 10; }))
      << collectd.standard_output() << collectd.standard_error();
  const bool has_target = std::filesystem::exists(unpacked + "/lib/collectd/write_prometheus.so") &&
                          collectd.standard_output().find("write_prometheus") == std::string::npos;
  if (has_target) {
    EXPECT_TRUE(wait_until([&] { return server.totals("collectd_memory;*").size() >= 3; }))
        << server.get("/prometheus/api/v1/targets");
  }
  collectd.signal(SIGTERM);
  EXPECT_EQ(collectd.wait(), 0);
  const auto written = csv_totals(directory.path() / "csv" / "h1");
  EXPECT_GE(written.size(), 5U);
  double lines = 0;
  for (const auto& [name, total] : written) lines += total.count;
  EXPECT_TRUE(server.wait_for_metric("statmill_samples_received_total{listener=\"graphite_tcp\"}", lines));
  // It rounds times to the nearest second, so the last ones may be in the slot that begins next.
  std::map<std::string, SeriesTotals> stored;
  const auto count = [&] {
    double out = 0;
    for (const auto& [name, total] : stored = server.totals("h1.*")) out += total.count;
    return out;
  };
  EXPECT_TRUE(wait_until([&] { return count() == lines; })) << count() << " of " << lines;
  EXPECT_EQ(stored.size(), written.size());
  for (const auto& [name, total] : written) {
    ASSERT_EQ(stored.count(name), 1U) << name;
    EXPECT_EQ(stored.at(name).count, total.count) << name;
    EXPECT_NEAR(stored.at(name).sum, total.sum, 1e-6 * std::abs(total.sum))
        << name;  // the files have 9 digits
  }
  EXPECT_EQ(server.conservation(), "");
}

TEST(ClientsE2e, CarbonCRelaySendsOn) {
  const std::string program = kUnpacked + "carbon-c-relay/bin/carbon-c-relay";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << program << " is not there";
  ServerProcess server(STATMILL_BIN, {"--graphite.listen", "127.0.0.1:0"});
  server.start();
  const TempDirectory directory;
  const Endpoint lines{"127.0.0.1", unused_port()};
  const std::string settings = directory.write(
      "relay.conf", "listen type linemode " + lines.text() +
                        " proto tcp;\nstatistics submit every 3600 seconds;\n"
                        "cluster statmill forward " +
                        server.listener("graphite").text() + ";\nmatch * send to statmill stop;\n");
  Process relay({program, {"-f", settings, "-q", "50000"}, {}});
  TcpConnection connection = TcpConnection::to(lines);
  ASSERT_TRUE(wait_until([&] {
    if (!connection.is_connected()) connection = TcpConnection::to(lines);
    return connection.is_connected();
  })) << relay.standard_output()
      << relay.standard_error();
  const std::string now = std::to_string(std::time(nullptr));
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += "relayed.s" + std::to_string(i % 200) + " " + std::to_string(i) + ".25 " + now + "\n";
  ASSERT_TRUE(connection.send(text));
  ASSERT_TRUE(server.wait_for_metric("statmill_samples_received_total{listener=\"graphite_tcp\"}", 20'000))
      << relay.standard_output() << relay.standard_error();
  double sum = 0;
  double count = 0;
  for (const auto& [name, total] : server.totals("relayed.*")) {
    sum += total.sum;
    count += total.count;
  }
  EXPECT_EQ(count, 20'000);
  EXPECT_EQ(sum, 20'000.0 * 19'999 / 2 + 20'000 * 0.25);
  connection.close();
  relay.signal(SIGTERM);
  EXPECT_EQ(relay.wait(), 0);
  EXPECT_EQ(server.conservation(), "");
}

}  // namespace
}  // namespace statmill
