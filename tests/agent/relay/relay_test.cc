// The relay's ports with real sockets: each dialect has its counters, and accepted samples are handed over.
#include "agent/relay/relay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;

const Endpoint kAnyPort{"127.0.0.1", 0};

class RelayTest : public testing::Test {
 protected:
  Relay::Services services() { return {io_, registry_, clock_, log_}; }
  RelaySink::BatchSink gather() {
    return [this](const LineBatch& batch) { handed_ += batch.text; };
  }
  uint64_t count(std::string_view name, std::string_view listener) {
    return registry_
        .counter("statmill.samples_" + std::string(name), "", {{"listener", std::string(listener)}})
        .value();
  }

  boost::asio::io_context io_;
  Registry registry_;
  SystemClock clock_;
  Log log_{LogLevel::kError};
  std::string handed_;
};

// Sends and waits until the port has read everything.
void send(const Endpoint& endpoint, std::string_view lines) {
  TcpConnection connection = TcpConnection::to(endpoint);
  ASSERT_TRUE(connection.send(lines));
  connection.finish_sending();
  EXPECT_EQ(connection.receive_all(), "");
}

TEST_F(RelayTest, AcceptsEveryDialectAndHandsOverItsSamples) {
  RelayOptions options;
  options.line.listen = kAnyPort;
  options.graphite_listen = kAnyPort;
  options.statsd_listen = kAnyPort;
  Relay relay(options, services(), gather());
  const Status opened = relay.open();
  ASSERT_TRUE(opened) << opened.error().message;
  send(relay.ports().line, "a 7 1\na 7 2\nbad\n");
  send(relay.ports().graphite, "Disk;host=B 3 7\n");
  send(relay.ports().statsd, "hits:2|c|T7\nusers:u1|s\nusers:u2|s\nbad\n");
  ASSERT_TRUE(UdpSender(relay.ports().line).send("a 7 3"));
  relay.stop();
  EXPECT_THAT(handed_, HasSubstr("a 7 6 14 1 3 3\n"));
  EXPECT_THAT(handed_, HasSubstr("$g Disk;host=B 7 3\n"));
  EXPECT_THAT(handed_, HasSubstr("*hits 7 2\n"));
  EXPECT_THAT(handed_, testing::ContainsRegex("users [0-9]+ 2\n")) << "the set ended when the relay stopped";
  uint64_t accepted = 0;
  for (const char* listener :
       {"tcp", "udp", "graphite_tcp", "graphite_udp", "statsd_tcp", "statsd_udp", "statsd_sets"}) {
    const uint64_t refused =
        listener == std::string_view("tcp") || listener == std::string_view("statsd_tcp");
    EXPECT_EQ(count("received", listener), count("accepted", listener) + refused) << listener;
    accepted += count("accepted", listener);
  }
  // Members of sets are not handed over themselves.
  EXPECT_EQ(registry_.counter("statmill.relay_samples_handed_over", "").value(), accepted - 2);
  EXPECT_EQ(relay.samples_refused(), 2U);
  EXPECT_EQ(relay.samples_received(), accepted + 2);
}

TEST_F(RelayTest, HandsOverOnceASecondWhileItRuns) {
  const TempDirectory directory;
  RelayOptions options;
  options.line.listen = kAnyPort;
  Relay relay(options, services(), [this](const LineBatch& batch) {
    handed_ += batch.text;
    io_.stop();
  });
  ASSERT_TRUE(relay.open());
  send(relay.ports().line, "a 7 1\n");
  io_.run();
  EXPECT_EQ(handed_, "a 7 1\n");
  relay.stop();
}

TEST_F(RelayTest, APortInUseIsReported) {
  const TcpListener other;
  RelayOptions options;
  options.line.listen = other.endpoint();
  Relay relay(options, services(), gather());
  const Status opened = relay.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kBusy);
  EXPECT_THAT(opened.error().message, HasSubstr("line.listen"));
}

}  // namespace
}  // namespace statmill
