// Two agents with one identity, as on clones of a machine's disk: one of them gets a new identity, both
// continue, and all lines that the server does not get are reported to it as lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <filesystem>

#include "agent/spool/disk_directory.h"
#include "agent/spool/identity.h"
#include "tests/e2e/agent_host.h"
#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr int kLines = 500;
constexpr int kRoundsMax = 3;

// Copies the spool of `original`, including its identity, to `copy`. On a cloned disk the file `lock` would
// also have the same inode, so this writes the location of the copy into its identity. Requires that neither
// agent runs.
void clone_spool(const AgentHost& original, const AgentHost& copy) {
  fs::remove_all(copy.spool());
  fs::copy(original.spool(), copy.spool(), fs::copy_options::recursive);
  const auto directory = DiskDirectory::open(copy.spool());
  ASSERT_TRUE(directory) << directory.error().message;
  const auto text = (*directory)->read(std::string(kIdentityFile), 0, kIdentityBytesMax);
  ASSERT_TRUE(text);
  auto identity = decode_identity(*text);
  ASSERT_TRUE(identity) << identity.error().message;
  const auto location = (*directory)->location();
  ASSERT_TRUE(location);
  identity->location = *location;
  ASSERT_TRUE(write_identity(**directory, *identity));
  ASSERT_TRUE((*directory)->sync());
}

class ClonesE2e : public testing::Test {
 protected:
  ~ClonesE2e() override {
    for (AgentHost* host : {&original_, &clone_}) {
      if (!host->is_up()) continue;
      EXPECT_EQ(host->stop(), 0) << host->said();
    }
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0);
  }

  // Returns an agent that sends only the lines it is fed, without aggregation.
  AgentHost host(const std::string& name) const {
    return AgentHost(STATMILL_BIN, name, {server_.agent()}, {"--interval", "1h", "--relay.aggregate", "0s"});
  }
  boost::json::value agents() const { return boost::json::parse(server_.get("/api/v1/status/agents")); }
  // True implies two identities, because the server keeps one connection per identity.
  bool are_both_connected() const { return agents().at("connected").as_int64() == 2; }
  double sum_of(const AgentHost& host, const std::string& series) const {
    return server_.totals(host.name() + ".*")[host.name() + "." + series].sum;
  }
  std::string said() const { return original_.said() + "--- and the clone\n" + clone_.said(); }
  // Makes an agent that has sent some batches, and its clone. Neither runs afterwards.
  void make_clones() {
    original_.start();
    EXPECT_TRUE(original_.feed_ones("before", kLines));
    EXPECT_TRUE(wait_until([&] {
      return sum_of(original_, "before") == original_.sent_sums().at("original.before");
    })) << original_.said();
    server_.wait_until_durable();
    EXPECT_EQ(original_.stop(), 0) << original_.said();
    clone_spool(original_, clone_);
  }

  struct StartedServer : ServerProcess {
    StartedServer() : ServerProcess(STATMILL_BIN) { start(); }
  };
  StartedServer server_;
  AgentHost original_ = host("original");
  AgentHost clone_ = host("clone");
};

TEST_F(ClonesE2e, LinesOfClonesCountOnceOrAreReportedLost) {
  make_clones();
  const uint16_t port = server_.agent().port;
  EXPECT_EQ(server_.stop(), 0);
  for (AgentHost* host : {&original_, &clone_}) {  // gives both agents batches with the same numbers
    host->start();
    EXPECT_TRUE(host->feed_ones("during", kLines));
    EXPECT_EQ(host->stop(), 0) << host->said();
    host->start();
  }
  server_.start(0, port);
  ASSERT_TRUE(wait_until([&] { return are_both_connected(); })) << said();
  for (AgentHost* host : {&original_, &clone_}) {
    EXPECT_TRUE(host->feed_ones("after", kLines));
    EXPECT_TRUE(wait_until([&] { return sum_of(*host, "after") == kLines; })) << said();
  }
  server_.wait_until_durable();

  EXPECT_EQ(sum_of(original_, "before"), kLines);
  const double missing = 2 * kLines - sum_of(original_, "during") - sum_of(clone_, "during");
  double lost = 0;
  const boost::json::value document = agents();
  for (const auto& agent : document.at("agents").as_array()) {
    lost += agent.at("lines_lost").to_number<double>();
    for (const auto& gap : agent.at("last_gaps").as_array())
      EXPECT_EQ(gap.at("reason").as_string(), "cloned");
  }
  EXPECT_GE(missing, 0) << "counted twice";
  EXPECT_GE(lost, missing) << said();
  EXPECT_GT(lost, 0) << "one agent had batches that the server could not accept";
  EXPECT_THAT(said(), HasSubstr("the agent takes a new identity"));
}

// Here the only sign of clones is that their connections replace each other. A batch of an agent's own
// metrics can reveal them earlier; the test then makes new clones.
TEST_F(ClonesE2e, AgentsAndServerWarnOfClonesThatReplaceEachOther) {
  bool is_warned = false;
  for (int round = 0; round < kRoundsMax && !is_warned; ++round) {
    make_clones();
    original_.start();
    clone_.start();
    ASSERT_TRUE(wait_until([&] { return are_both_connected(); })) << said();
    is_warned = server_.metric("statmill_agent_clones_total") > 0;
    if (!is_warned) {
      EXPECT_EQ(original_.stop(), 0) << original_.said();
      EXPECT_EQ(clone_.stop(), 0) << clone_.said();
    }
  }
  ASSERT_TRUE(is_warned) << said();
  EXPECT_THAT(said(), HasSubstr("three times in ten minutes; the agent takes a new identity"));
  const auto line = server_.process().wait_for_line("agent_clones");
  ASSERT_TRUE(line) << server_.process().standard_error();
  const HttpReply ready = http_get(server_.http(), "/readyz");
  EXPECT_EQ(ready.status, 200) << "clones are a warning";
  for (const std::string& said : {*line, ready.body}) {
    EXPECT_THAT(said, HasSubstr("original (127.0.0.1:"));
    EXPECT_THAT(said, HasSubstr("clone (127.0.0.1:"));
    EXPECT_THAT(said, HasSubstr("replaced each other as agent "));
  }
}

}  // namespace
}  // namespace statmill
