// The agent's /metrics: small requests are answered, everything else is refused and counted.
#include "agent/metrics_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/process.h"
#include "tests/support/sockets.h"

namespace statmill {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class MetricsEndpointTest : public testing::Test {
 protected:
  MetricsEndpointTest() {
    const Status opened = endpoint_.open({"127.0.0.1", 0});
    EXPECT_TRUE(opened) << opened.error().message;
    thread_ = std::thread([this] { io_.run(); });
  }
  ~MetricsEndpointTest() override {
    io_.stop();
    thread_.join();
  }
  TcpConnection connect() { return TcpConnection::to(endpoint_.endpoint()); }
  std::string ask(std::string_view request) {
    TcpConnection connection = connect();
    EXPECT_TRUE(connection.send(request));
    return connection.receive_all();
  }
  uint64_t refused(const std::string& reason) {
    return registry_.counter("statmill.http_refused", "", {{"reason", reason}}).value();
  }

  boost::asio::io_context io_;
  Registry registry_;
  // 16 MiB, more than the kernel takes while nobody reads.
  static Recording recording() {
    Recording recording;
    const auto piece = std::make_shared<const std::string>(size_t{1} << 20, 'x');
    for (int i = 0; i < 16; ++i) recording.add(piece);
    return recording;
  }
  MetricsEndpoint endpoint_{
      io_, registry_, {.metrics = [] { return std::string("some_metric 1\n"); }, .hindsight = recording}};
  std::thread thread_;
};

TEST_F(MetricsEndpointTest, AnswersGetOfMetrics) {
  const std::string answer = ask("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain; version=0.0.4\r\n"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nsome_metric 1\n"));
  EXPECT_THAT(ask("GET /metrics?all HTTP/1.0\r\n\r\n"), HasSubstr(" 200 OK\r\n"));
}

TEST_F(MetricsEndpointTest, AnswersGetOfHindsightWithAllBlocks) {
  const std::string answer = ask("GET /hindsight HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(answer.substr(0, 500), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer.substr(0, 500), HasSubstr("Content-Type: application/gzip\r\n"));
  EXPECT_THAT(answer.substr(0, 500), HasSubstr("Content-Length: 16777216\r\n"));
  EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, size_t{16} << 20);
}

TEST_F(MetricsEndpointTest, SendsOneRecordingAtATime) {
  TcpConnection slow = connect();
  ASSERT_TRUE(slow.send("GET /hindsight HTTP/1.0\r\n\r\n"));
  ASSERT_TRUE(wait_until([&] { return registry_.counter("statmill.http_requests", "").value() == 1; }));
  EXPECT_THAT(ask("GET /hindsight HTTP/1.0\r\n\r\n"), HasSubstr(" 503 "));
  EXPECT_EQ(refused("recording"), 1U);
  EXPECT_THAT(ask("GET /metrics HTTP/1.0\r\n\r\n"), HasSubstr(" 200 "));
  slow.close();
  EXPECT_TRUE(wait_until([&] {
    return ask("GET /hindsight HTTP/1.0\r\n\r\n").substr(0, 20).find(" 200 ") != std::string::npos;
  })) << "its place is free once the endpoint has noticed the end";
}

TEST_F(MetricsEndpointTest, WithoutARingThereIsNoHindsight) {
  boost::asio::io_context io;
  Registry registry;
  MetricsEndpoint endpoint(io, registry, {.metrics = [] { return std::string(); }});
  ASSERT_TRUE(endpoint.open({"127.0.0.1", 0}));
  std::thread thread([&] { io.run(); });
  TcpConnection connection = TcpConnection::to(endpoint.endpoint());
  ASSERT_TRUE(connection.send("GET /hindsight HTTP/1.0\r\n\r\n"));
  EXPECT_THAT(connection.receive_all(), HasSubstr(" 404 "));
  io.stop();
  thread.join();
}

TEST_F(MetricsEndpointTest, RefusesEverythingElse) {
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(ask("GET /metrics/x HTTP/1.1\r\nHost: a\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(ask("POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"),
              StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(ask("GET /metrics HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_EQ(refused("request"), 5U);
}

TEST_F(MetricsEndpointTest, ATooLongHeaderEndsTheConnection) {
  TcpConnection connection = connect();
  connection.send("GET /metrics HTTP/1.1\r\nX: " + std::string(MetricsEndpoint::kRequestBytesMax, 'x'));
  connection.receive_all();  // a response, or nothing if unread bytes cause a reset
  EXPECT_EQ(refused("request"), 1U);
}

TEST_F(MetricsEndpointTest, ConnectionsAboveTheLimitAreClosed) {
  std::vector<TcpConnection> silent;
  for (size_t i = 0; i < MetricsEndpoint::kConnectionsMax; ++i) silent.push_back(connect());
  EXPECT_EQ(connect().receive_all(), "");
  EXPECT_EQ(refused("connections"), 1U);
  silent.front().close();
  std::string answer;  // its slot is free once the endpoint has noticed the end
  while (answer.empty()) {
    TcpConnection next = connect();
    next.send("GET /metrics HTTP/1.0\r\n\r\n");
    answer = next.receive_all();
  }
  EXPECT_THAT(answer, HasSubstr(" 200 OK\r\n"));
}

TEST_F(MetricsEndpointTest, ASilentConnectionIsClosed) {
  TcpConnection silent = connect();
  EXPECT_EQ(silent.receive_all(), "") << "after five seconds";
  while (refused("timeout") == 0) std::this_thread::yield();  // counted when it is closed
  EXPECT_EQ(refused("timeout"), 1U);
}

TEST(MetricsEndpoint, AnAddressInUseIsReported) {
  const TcpListener other;
  boost::asio::io_context io;
  Registry registry;
  MetricsEndpoint endpoint(io, registry, {.metrics = [] { return std::string(); }});
  const Status opened = endpoint.open(other.endpoint());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kBusy);
  EXPECT_EQ(MetricsEndpoint(io, registry, {.metrics = {}}).open({"nowhere", 1}).error().code,
            ErrorCode::kInvalid);
}

}  // namespace
}  // namespace statmill
