// Senders, agents and clients that send what a terminal would obey: neither the log of the server nor any
// command prints a control byte.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "proto/agent/frames.h"
#include "tests/e2e/server_process.h"
#include "tests/support/terminal_text.h"

namespace statmill {
namespace {

using Commands = std::vector<std::vector<std::string>>;

class TerminalSafetyE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void expect_clean(const Commands& commands) {
    for (const auto& command : commands) {
      const Ended ended = server_.cli(command);
      EXPECT_EQ(control_byte_in(ended.out), "") << command[0];
      EXPECT_EQ(control_byte_in(ended.said), "") << command[0];
    }
  }
  void expect_clean_log() { EXPECT_EQ(control_byte_in(server_.process().standard_error()), ""); }
  // Connects as an agent and sends its first frames.
  TcpConnection connect(const HelloFrame& hello, const StatusFrame& status) {
    std::string frames;
    append_frame(frames, hello);
    append_frame(frames, status);
    TcpConnection connection = TcpConnection::to(server_.agent());
    EXPECT_TRUE(connection.send(frames));
    EXPECT_NE(connection.receive(), "");
    return connection;
  }

  const std::string hostile_{kHostileText};
  ServerProcess server_{STATMILL_BIN};
};

TEST_F(TerminalSafetyE2e, NamesLinesAndEvents) {
  server_.send("good.name 1\n" + hostile_ + " 1\n" + "good.name;tag=" + hostile_ + " 1\n" + "good.name " +
               hostile_ + "\n" + "$m good.name bytes " + hostile_ + "\n");
  const std::string event = R"({"title":"\u001b[31m\u009b\u007f","tags":["\u001b"]})";
  http_raw(server_.http(),
           "POST /api/v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
           "Content-Type: application/json\r\nContent-Length: " +
               std::to_string(event.size()) + "\r\n\r\n" + event);
  expect_clean({{"put", hostile_, "1"},
                {"put", "good.name", hostile_},
                {"query", "*", "--from", "-1m"},
                {"query", "*", "--from", "-1m", "--format", "csv"},
                {"query", "*", "--from", "-1m", "--format", "json"},
                {"query", hostile_},
                {"query", "--expr", hostile_},
                {"query", "--expr", "sum({__name__=~\"" + hostile_ + "\"})"},
                {"graph", "good.name"},
                {"graph", "--expr", "{__name__=~\"good.*\"}"},
                {"graph", hostile_},
                {"top", "--once"},
                {"ls", "--long"},
                {"ls", "--format", "csv"},
                {"ls", "--format", "json"},
                {"ls", hostile_},
                {"describe", "*"},
                {"describe", hostile_},
                {"rejects"},
                {"rejects", "--format", "csv"},
                {"rejects", "--format", "json"},
                {"cardinality"},
                {"cardinality", "--format", "json"},
                {hostile_}});
  expect_clean_log();
}

TEST_F(TerminalSafetyE2e, AgentsAndTheirCollectors) {
  const Timestamp now = SystemClock().wall();
  const std::string before = server_.get("/api/v1/status/agents");
  connect({.acknowledged = {.epoch = 1},
           .clock = now,
           .host = hostile_,
           .agent_version = hostile_,
           .kernel = hostile_,
           .boot_id = hostile_},
          {.clock = now});
  EXPECT_EQ(server_.get("/api/v1/status/agents"), before) << "the hostile hello is refused";
  const TcpConnection agent =
      connect({.acknowledged = {.epoch = 1}, .clock = now, .host = "web", .agent_version = "1"},
              {.clock = now, .collectors = {{.name = kHostileText, .state = 1, .reason = kHostileText}}});
  EXPECT_TRUE(wait_until(
      [&] { return server_.get("/api/v1/status/agents").find("\\u009b2J") != std::string::npos; }));
  expect_clean({{"agents"},
                {"agents", "--format", "json"},
                {"status"},
                {"status", "--format", "json"},
                {"forget-agent", hostile_},
                {"forget-agent", "0", "--force"}});
  expect_clean_log();
}

TEST_F(TerminalSafetyE2e, NamesAndDirectoriesOfAdministration) {
  server_.send("good.name 1\n");
  const std::string directory = (server_.data() / hostile_).string();
  expect_clean({{"delete", "good.*", "--dry-run"},
                {"delete", hostile_},
                {"delete", "good.name", "--from", hostile_},
                {"rename", "good.name", hostile_},
                {"rename", "good.*", "other.*", "--dry-run"},
                {"flush"},
                {"clock", "confirm"},
                {"clock", hostile_},
                {"check"},
                {"check", directory},
                {"backup", directory},
                {"verify", directory},
                {"restore", directory, directory + "2"},
                {"verify", directory + "3"}});
  EXPECT_TRUE(std::filesystem::exists(directory)) << "the backup is made";
  expect_clean_log();
}

}  // namespace
}  // namespace statmill
