// Upgrade and downgrade between this version and a later one with a higher minor version of the format: the
// later one reads everything and goes on, the earlier one refuses what the later one wrote and changes
// nothing of it.
//
// UPGRADE_ROUNDS=n repeats the upgrade under traffic n times, with kills at random times; without it there
// are two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "tests/e2e/agent_host.h"
#include "tests/e2e/agent_ledger.h"
#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr int kRefusedVersion = 5;  // the exit status
constexpr int kLivesMax = 5;

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The content of each file of a directory.
std::map<std::string, std::string> files_of(const fs::path& directory) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) out[entry.path().string()] = content_of(entry.path());
  }
  return out;
}

class UpgradeE2e : public testing::Test {
 protected:
  static Ended cli(std::vector<std::string> arguments) {
    return run_program({std::string(STATMILL_BIN) + "/statmill", std::move(arguments), {}});
  }
  void expect_totals(const std::map<std::string, SeriesTotals>& wanted) {
    const auto found = server_.totals("shop.*");
    EXPECT_EQ(found.size(), wanted.size());
    for (const auto& [name, totals] : wanted) {
      const auto at = found.find(name);
      ASSERT_TRUE(at != found.end()) << name;
      EXPECT_EQ(at->second.sum, totals.sum) << name;
      // the count of an event series is that of its slots, which grows with time
      EXPECT_TRUE(name.starts_with("shop.event") || at->second.count == totals.count) << name;
    }
  }
  std::string path(const char* name) const { return (server_.data() / name).string(); }

  ServerProcess server_{STATMILL_BIN, {"--flush.interval", "500ms"}};
};

TEST_F(UpgradeE2e, ALaterServerReadsEverythingAndAnEarlierOneRefusesItsDataUnchanged) {
  server_.start();
  std::string lines;
  for (int i = 1; i <= 1000; ++i) {
    const std::string number = std::to_string(i % 10);
    lines += "shop.gauge" + number + " " + std::to_string(i) + ".25\n*shop.event" + number +
             " 2\n%shop.time" + number + " " + std::to_string(i) + "\n";
  }
  server_.send(lines);
  ASSERT_EQ(server_.cli({"flush"}).status, 0);
  server_.send(lines);  // these stay in the journal
  server_.wait_until_durable();
  const auto before = server_.totals("shop.*");
  EXPECT_EQ(before.size(), 30);
  ASSERT_EQ(server_.cli({"backup", path("earlier_backup")}).status, 0);
  server_.kill();

  server_.use_programs_of(STATMILL_LATER_BIN);
  server_.start();
  expect_totals(before);
  server_.send(lines);
  server_.wait_until_durable();
  EXPECT_THAT(content_of(path("data/FORMAT")), HasSubstr("store 2.99\n"));
  const auto after = server_.totals("shop.*");
  EXPECT_EQ(after.at("shop.event1").sum, 3 * before.at("shop.event1").sum / 2);
  server_.use_programs_of(STATMILL_BIN);
  ASSERT_EQ(server_.cli({"backup", path("later_backup")}).status, 0) << "a client of the earlier version";
  ASSERT_EQ(server_.stop(), 0);

  const auto files = files_of(path("data"));
  EXPECT_FALSE(server_.try_start(0, 0, {}));
  EXPECT_EQ(server_.process().wait(), kRefusedVersion);
  EXPECT_THAT(server_.process().standard_error(),
              HasSubstr("it has format version 2.99, this program reads 1.0 to"));
  EXPECT_EQ(cli({"check", path("data")}).status, kRefusedVersion);
  const Ended restored = cli({"restore", path("later_backup"), path("restored")});
  EXPECT_NE(restored.status, 0);
  EXPECT_THAT(restored.said, HasSubstr("2.99"));
  EXPECT_FALSE(fs::exists(path("restored")));
  EXPECT_TRUE(files_of(path("data")) == files) << "the earlier version has changed the later one's data";

  server_.use_programs_of(STATMILL_LATER_BIN);
  server_.start();
  expect_totals(after);
  EXPECT_EQ(server_.stop(), 0);

  // the way back is the backup from before
  fs::remove_all(path("data"));
  ASSERT_EQ(cli({"restore", path("earlier_backup"), path("data")}).status, 0);
  server_.use_programs_of(STATMILL_BIN);
  server_.start();
  expect_totals(before);
  EXPECT_EQ(server_.conservation(), "");
  EXPECT_EQ(server_.stop(), 0);
}

TEST_F(UpgradeE2e, AServerThatIsUpgradedUnderTrafficCountsEachSampleOnce) {
  const char* wanted = std::getenv("UPGRADE_ROUNDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 2;
  std::mt19937_64 random{std::random_device{}()};
  uint64_t batches = 0;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    ServerProcess server(STATMILL_BIN, {"--flush.interval", "500ms"});
    server.start();
    const uint16_t port = server.agent().port;
    AgentHost host(STATMILL_BIN, "upgraded", {server.agent()},
                   {"--relay.aggregate", "0s", "--interval", "100ms"});
    host.start();
    const auto feed_for = [&](std::chrono::milliseconds time) {
      const auto end = std::chrono::steady_clock::now() + time;
      while (std::chrono::steady_clock::now() < end) {
        ASSERT_TRUE(host.feed(random, 50)) << host.said();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the rate of the traffic
      }
    };
    feed_for(std::chrono::milliseconds(200 + random() % 1500));
    if (round % 2 == 0)
      server.kill();
    else
      EXPECT_EQ(server.stop(), 0);
    feed_for(std::chrono::milliseconds(random() % 300));
    server.use_programs_of(STATMILL_LATER_BIN);
    server.start(0, port);
    feed_for(std::chrono::milliseconds(200 + random() % 500));
    EXPECT_EQ(host.stop(), 0) << host.said();

    Spooled spooled = read_spool(host.spool());
    const auto is_all_there = [&] {
      const AgentAccount account = account_of(server, spooled.agent);
      return account.is_known && account.durable >= static_cast<double>(spooled.batches);
    };
    for (int life = 0; life < kLivesMax && !is_all_there(); ++life) {
      host.start();
      const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
      while (!is_all_there() && std::chrono::steady_clock::now() < deadline) {
      }
      EXPECT_EQ(host.stop(), 0) << host.said();
      spooled = read_spool(host.spool());  // the agent has added samples of its own
    }
    EXPECT_EQ(difference(server, spooled, host.name()), "") << host.said();
    EXPECT_GT(spooled.batches, 5);
    batches += spooled.batches;
    EXPECT_EQ(server.conservation(), "");
    EXPECT_EQ(server.stop(), 0);
    EXPECT_THAT(content_of(server.data() / "data/FORMAT"), HasSubstr("store 2.99\n"));
  }
  std::printf("%d upgrades, %lu batches\n", rounds, batches);
}

}  // namespace
}  // namespace statmill
