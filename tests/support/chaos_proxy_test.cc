#include "tests/support/chaos_proxy.h"

#include <gtest/gtest.h>

#include "tests/support/sockets.h"

namespace statmill {
namespace {

// A seed whose first connection has a given kind of fault.
struct Found {
  uint64_t seed = 0;
  FaultPlan plan;
};

Found find(NetworkFault kind, bool is_upward, uint64_t after_min, uint64_t after_max) {
  for (uint64_t seed = 0;; ++seed) {
    const FaultPlan plan = plan_of(seed, 0);
    if (plan.kind == kind && plan.is_upward == is_upward && plan.after >= after_min && plan.after < after_max)
      return {seed, plan};
  }
}

class ChaosProxyTest : public testing::Test {
 protected:
  // Connects through a proxy with that seed.
  void connect(uint64_t seed) {
    proxy_ = std::make_unique<ChaosProxy>(seed);
    proxy_->forward_to(listener_.endpoint());
    client_ = TcpConnection::to(proxy_->endpoint());
    ASSERT_TRUE(client_.is_connected());
  }
  std::string received(TcpConnection& side, size_t bytes) {
    std::string out;
    while (out.size() < bytes) {
      const std::string part = side.receive();
      if (part.empty()) break;
      out += part;
    }
    return out;
  }

  TcpListener listener_;
  std::unique_ptr<ChaosProxy> proxy_;
  TcpConnection client_{Descriptor()};
};

TEST_F(ChaosProxyTest, PassesEverythingBothWays) {
  connect(find(NetworkFault::kNone, true, 0, 1 << 20).seed);
  TcpConnection server = listener_.accept();
  const std::string much(1 << 20, 'x');
  std::thread sender([&] { EXPECT_TRUE(client_.send(much)); });
  EXPECT_EQ(received(server, much.size()), much);
  sender.join();
  ASSERT_TRUE(server.send("answer"));
  EXPECT_EQ(received(client_, 6), "answer");
}

TEST_F(ChaosProxyTest, EndsAndResetsAfterTheGivenBytes) {
  for (const NetworkFault kind : {NetworkFault::kEnd, NetworkFault::kReset}) {
    const Found found = find(kind, true, 100, 1000);
    connect(found.seed);
    TcpConnection server = listener_.accept();
    client_.send(std::string(4000, 'x'));
    EXPECT_LE(server.receive_all().size(), found.plan.after) << "a reset may overtake bytes sent before";
    EXPECT_EQ(client_.receive(), "");
  }
}

TEST_F(ChaosProxyTest, FlipsOneBit) {
  const Found found = find(NetworkFault::kFlip, true, 10, 1000);
  connect(found.seed);
  TcpConnection server = listener_.accept();
  const std::string sent(2000, 'x');
  ASSERT_TRUE(client_.send(sent));
  const std::string got = received(server, sent.size());
  ASSERT_EQ(got.size(), sent.size());
  for (size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(got[i] == sent[i], i != found.plan.after) << i;
}

TEST_F(ChaosProxyTest, PausesThenForwardsEverything) {
  connect(find(NetworkFault::kPause, true, 10, 1000).seed);
  TcpConnection server = listener_.accept();
  ASSERT_TRUE(client_.send(std::string(2000, 'x')));
  EXPECT_EQ(received(server, 2000).size(), 2000);
}

// Counting bytes in both directions: what the deaf side still sends must not end the deafness.
TEST_F(ChaosProxyTest, NotifiesOnlyOneSideUntilDeafnessEnds) {
  for (const bool is_upward : {true, false}) {
    const Found found = find(NetworkFault::kDeafClient, is_upward, 10, 1000);
    connect(found.seed);
    TcpConnection server = listener_.accept();
    const auto begin = std::chrono::steady_clock::now();
    client_.send(std::string(2000, 'x'));
    if (!is_upward) server.send(std::string(2000, 'y'));
    server.receive_all();
    client_.send("still there?");
    client_.receive_all();
    EXPECT_GE(std::chrono::steady_clock::now() - begin, found.plan.lasts);
  }
}

TEST_F(ChaosProxyTest, RefusesUntilFaultsAreStopped) {
  connect(find(NetworkFault::kRefusal, true, 0, 1 << 20).seed);
  EXPECT_EQ(client_.receive(), "");
  proxy_->stop_faults();
  for (int i = 0; i < 20; ++i) {
    TcpConnection client = TcpConnection::to(proxy_->endpoint());
    TcpConnection server = listener_.accept();
    ASSERT_TRUE(client.send("x"));
    EXPECT_EQ(received(server, 1), "x");
  }
  EXPECT_NE(proxy_->story().find("connection 0: refusal"), std::string::npos) << proxy_->story();
}

TEST_F(ChaosProxyTest, StoppingFaultsResetsConnections) {
  connect(find(NetworkFault::kNone, true, 0, 1 << 20).seed);
  TcpConnection server = listener_.accept();
  ASSERT_TRUE(client_.send("x"));
  ASSERT_EQ(received(server, 1), "x");
  proxy_->stop_faults();
  EXPECT_EQ(server.receive(), "");
  EXPECT_EQ(client_.receive(), "");
}

}  // namespace
}  // namespace statmill
