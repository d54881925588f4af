// The proxy that tests of delivery trust: what it does to a connection is what its fate says.
#include "tests/support/chaos_proxy.h"

#include <gtest/gtest.h>

#include "tests/support/sockets.h"

namespace statmill {
namespace {

// The first connection of some seed that has such a fate.
struct Found {
  uint64_t seed = 0;
  Fate fate;
};

Found find(Mishap mishap, bool is_upward, uint64_t after_min, uint64_t after_max) {
  for (uint64_t seed = 0;; ++seed) {
    const Fate fate = fate_of(seed, 0);
    if (fate.mishap == mishap && fate.is_upward == is_upward && fate.after >= after_min &&
        fate.after < after_max)
      return {seed, fate};
  }
}

class ChaosProxyTest : public testing::Test {
 protected:
  // Connects through a proxy of that seed.
  void connect(uint64_t seed) {
    proxy_ = std::make_unique<ChaosProxy>(seed);
    proxy_->lead_to(listener_.endpoint());
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
  connect(find(Mishap::kNone, true, 0, 1 << 20).seed);
  TcpConnection server = listener_.accept();
  const std::string much(1 << 20, 'x');
  std::thread sender([&] { EXPECT_TRUE(client_.send(much)); });
  EXPECT_EQ(received(server, much.size()), much);
  sender.join();
  ASSERT_TRUE(server.send("answer"));
  EXPECT_EQ(received(client_, 6), "answer");
}

TEST_F(ChaosProxyTest, EndsAndResetsAfterSoManyBytes) {
  for (const Mishap mishap : {Mishap::kEnd, Mishap::kReset}) {
    const Found found = find(mishap, true, 100, 1000);
    connect(found.seed);
    TcpConnection server = listener_.accept();
    client_.send(std::string(4000, 'x'));
    EXPECT_LE(server.receive_all().size(), found.fate.after) << "a reset may overtake what it follows";
    EXPECT_EQ(client_.receive(), "");
  }
}

TEST_F(ChaosProxyTest, FlipsOneBit) {
  const Found found = find(Mishap::kFlip, true, 10, 1000);
  connect(found.seed);
  TcpConnection server = listener_.accept();
  const std::string sent(2000, 'x');
  ASSERT_TRUE(client_.send(sent));
  const std::string got = received(server, sent.size());
  ASSERT_EQ(got.size(), sent.size());
  for (size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(got[i] == sent[i], i != found.fate.after) << i;
}

TEST_F(ChaosProxyTest, PausesAndGoesOn) {
  connect(find(Mishap::kPause, true, 10, 1000).seed);
  TcpConnection server = listener_.accept();
  ASSERT_TRUE(client_.send(std::string(2000, 'x')));
  EXPECT_EQ(received(server, 2000).size(), 2000);
}

// Both ways of counting: what the deaf side still says must not give it away.
TEST_F(ChaosProxyTest, TellsOneSideOnlyUntilDeafnessIsOver) {
  for (const bool is_upward : {true, false}) {
    const Found found = find(Mishap::kDeafClient, is_upward, 10, 1000);
    connect(found.seed);
    TcpConnection server = listener_.accept();
    const auto begin = std::chrono::steady_clock::now();
    client_.send(std::string(2000, 'x'));
    if (!is_upward) server.send(std::string(2000, 'y'));
    server.receive_all();
    client_.send("still there?");
    client_.receive_all();
    EXPECT_GE(std::chrono::steady_clock::now() - begin, found.fate.lasts);
  }
}

TEST_F(ChaosProxyTest, RefusesAndIsCalmWhenToldTo) {
  connect(find(Mishap::kRefusal, true, 0, 1 << 20).seed);
  EXPECT_EQ(client_.receive(), "");
  proxy_->calm();
  for (int i = 0; i < 20; ++i) {
    TcpConnection client = TcpConnection::to(proxy_->endpoint());
    TcpConnection server = listener_.accept();
    ASSERT_TRUE(client.send("x"));
    EXPECT_EQ(received(server, 1), "x");
  }
  EXPECT_NE(proxy_->story().find("connection 0: refusal"), std::string::npos) << proxy_->story();
}

TEST_F(ChaosProxyTest, CalmEndsWhatIsUnderWay) {
  connect(find(Mishap::kNone, true, 0, 1 << 20).seed);
  TcpConnection server = listener_.accept();
  ASSERT_TRUE(client_.send("x"));
  ASSERT_EQ(received(server, 1), "x");
  proxy_->calm();
  EXPECT_EQ(server.receive(), "");
  EXPECT_EQ(client_.receive(), "");
}

}  // namespace
}  // namespace statmill
