// Listeners with real sockets: what each dialect accepts over TCP and UDP, and what ends a connection.
#include "ingest/line_listener.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/ip/udp.hpp>
#include <filesystem>

#include "base/unix_socket.h"
#include "ingest/statsd/dialect.h"
#include "tests/ingest/line_listener_fixture.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

TEST_F(LineListenerTest, CountsEachTransportOfEachDialectSeparately) {
  const auto lines = listen(istatd_dialect());
  const auto graphite = listen(graphite_dialect());
  const auto statsd_listener = listen(statsd());
  send(*lines, "line.tcp 1\nbad\n");
  send(*graphite, "graphite.tcp;b=2;a=1 2 -1\nbad\n");
  ASSERT_TRUE(UdpSender(lines->endpoint()).send("line.udp 3\nbad"));
  ASSERT_TRUE(UdpSender(graphite->endpoint()).send("~graphite.udp 4\nbad"));
  send(*statsd_listener, "statsd.tcp:5|ms\nbad\n");
  ASSERT_TRUE(UdpSender(statsd_listener->endpoint()).send("statsd.udp:6|c\nbad"));
  lines->stop();
  graphite->stop();
  statsd_listener->stop();
  for (const std::string_view listener :
       {"tcp", "udp", "graphite_tcp", "graphite_udp", "statsd_tcp", "statsd_udp"}) {
    EXPECT_EQ(received(listener), 2U) << listener;
    EXPECT_EQ(accepted(listener), 1U) << listener;
    EXPECT_EQ(refused(listener, Refusal::kFieldCount), 1U) << listener;
  }
  EXPECT_EQ(bucket("graphite.tcp;a=1;b=2").sum(), 2);
  EXPECT_EQ(bucket("graphite.udp").sum(), 4);
  EXPECT_EQ(bucket("statsd.tcp").sum(), 5);
  EXPECT_EQ(bucket("statsd.udp").sum(), 6);
  EXPECT_EQ(intake.account("graphite_udp").renamed.value(), 1U);
  EXPECT_EQ(counter("statmill.udp_datagrams", "graphite_udp"), 1U);
  EXPECT_EQ(counter("statmill.line_connections_accepted", "graphite_tcp"), 1U);
}

// The kernel joins the datagrams and reports their sizes.
TEST_F(LineListenerTest, EachJoinedDatagramEndsItsOwnLine) {
  const auto lines = listen(istatd_dialect());
  std::string datagrams;
  for (int i = 10; i < 50; ++i) datagrams += "joined " + std::to_string(i);
  ASSERT_TRUE(UdpSender(lines->endpoint()).send_cut(datagrams + "joined 5", 9));
  lines->stop();
  EXPECT_EQ(accepted("udp"), 41U);
  EXPECT_EQ(bucket("joined").sum(), 40 * (10 + 49) / 2 + 5);
  EXPECT_EQ(counter("statmill.udp_datagrams", "udp"), 41U);
}

TEST_F(LineListenerTest, OnlyGraphiteAcceptsALastLineEndedByTheEndOfTheStream) {
  const auto lines = listen(istatd_dialect());
  const auto graphite = listen(graphite_dialect());
  send(*lines, "line.last 1");
  send(*graphite, "graphite.last 1");
  EXPECT_EQ(refused("tcp", Refusal::kUnterminated), 1U);
  EXPECT_EQ(bucket("graphite.last").count(), 1U);
}

TEST_F(LineListenerTest, RefusesTheLastLineOfABrokenConnection) {
  const auto graphite = listen(graphite_dialect());
  TcpConnection connection = TcpConnection::to(graphite->endpoint());
  ASSERT_TRUE(connection.send("whole 1\ncut 12"));
  ASSERT_TRUE(wait_until([&] { return accepted("graphite_tcp") == 1; }));
  connection.abort();
  EXPECT_TRUE(wait_until([&] { return refused("graphite_tcp", Refusal::kUnterminated) == 1; }));
  EXPECT_TRUE(bucket("cut").is_empty());
}

TEST_F(LineListenerTest, StopAcceptsReceivedLinesAndRefusesUnfinishedOnes) {
  const auto graphite = listen(graphite_dialect());
  TcpConnection connection = TcpConnection::to(graphite->endpoint());
  ASSERT_TRUE(connection.send("whole 1\ncut 12"));
  graphite->stop();
  EXPECT_EQ(accepted("graphite_tcp"), 1U);
  EXPECT_EQ(refused("graphite_tcp", Refusal::kUnterminated), 1U);
  EXPECT_EQ(connection.receive_all(), "");
}

TEST_F(LineListenerTest, AllStatsdSourcesShareGaugesAndSets) {
  options_.threads = 2;
  const auto listener = listen(statsd());
  send(*listener, "queue:10|g\nusers:anna|s\nusers:bert|s\n");
  send(*listener, "queue:+4|g\nusers:anna|s\n");
  ASSERT_TRUE(UdpSender(listener->endpoint()).send("queue:-1|g\nusers:carl|s"));
  ASSERT_TRUE(wait_until([&] { return received("statsd_udp") == 2; }));
  EXPECT_EQ(bucket("queue").sum(), 10 + 14 + 13);
  EXPECT_EQ(accepted("statsd_tcp") + accepted("statsd_udp"), 7U);
  clock_.advance(std::chrono::seconds(10));
  ASSERT_TRUE(wait_until([&] { return accepted("statsd_sets") > 0; })) << "the slot is over";
  send(*listener, "users:dora|s\n");
  listener->stop();
  EXPECT_EQ(bucket("users").sum(), 3 + 1) << "stopping ends the current slot";
  for (const std::string_view name : {"statsd_tcp", "statsd_udp", "statsd_sets"})
    EXPECT_TRUE(account_holds(name)) << name;
}

TEST_F(LineListenerTest, AllListenersShareTheLimitOfConnections) {
  connections_ = std::make_unique<ConnectionRegistry>(SessionLimit(1));
  const auto lines = listen(istatd_dialect());
  const auto graphite = listen(graphite_dialect());
  TcpConnection first = TcpConnection::to(lines->endpoint());
  ASSERT_TRUE(wait_until([&] { return connections_->limit().count() == 1; }));
  TcpConnection second = TcpConnection::to(graphite->endpoint());
  EXPECT_EQ(second.receive(), "") << "closed at once";
  EXPECT_EQ(refused_connections("graphite_tcp", "limit"), 1U);
}

TEST_F(LineListenerTest, OneAddressLeavesConnectionsToOthers) {
  connections_ = std::make_unique<ConnectionRegistry>(SessionLimit(4, 1));
  const auto lines = listen(istatd_dialect());
  TcpConnection first = TcpConnection::to(lines->endpoint());
  ASSERT_TRUE(wait_until([&] { return connections_->limit().count() == 1; }));
  TcpConnection second = TcpConnection::to(lines->endpoint());
  EXPECT_EQ(second.receive(), "") << "closed at once";
  EXPECT_EQ(refused_connections("tcp", "address_limit"), 1U);
  TcpConnection other = TcpConnection::to(lines->endpoint(), "127.0.0.2");
  EXPECT_TRUE(wait_until([&] { return connections_->limit().count() == 2; }));
}

TEST_F(LineListenerTest, ClosesASilentConnectionAndKeepsItsSamples) {
  options_.idle_timeout = std::chrono::milliseconds(20);
  const auto graphite = listen(graphite_dialect());
  TcpConnection connection = TcpConnection::to(graphite->endpoint());
  ASSERT_TRUE(connection.send("whole 1\ncut 12"));
  ASSERT_TRUE(wait_until([&] { return accepted("graphite_tcp") == 1; }));
  clock_.advance(options_.idle_timeout);
  EXPECT_EQ(connection.receive(), "") << "closed";
  EXPECT_EQ(counter("statmill.line_connections_idle", "graphite_tcp"), 1U);
  EXPECT_EQ(accepted("graphite_tcp"), 1U);
  EXPECT_EQ(refused("graphite_tcp", Refusal::kUnterminated), 1U) << "the sender did not end its stream";
  EXPECT_TRUE(wait_until([&] { return connections_->limit().count() == 0; }));
}

TEST_F(LineListenerTest, IdleTimeoutStartsWithTheLastBytes) {
  options_.idle_timeout = std::chrono::milliseconds(20);
  const auto lines = listen(istatd_dialect());
  TcpConnection connection = TcpConnection::to(lines->endpoint());
  for (uint64_t sent = 1; sent <= 4; ++sent) {
    clock_.advance(options_.idle_timeout * 3 / 4);
    ASSERT_TRUE(connection.send("a 1\n"));
    ASSERT_TRUE(wait_until([&] { return accepted("tcp") == sent; }));
  }
  EXPECT_EQ(counter("statmill.line_connections_idle", "tcp"), 0U);
  clock_.advance(options_.idle_timeout);
  EXPECT_EQ(connection.receive(), "") << "closed";
}

// What a page of any site can make a browser send to a port.
std::string browser_post(std::string_view target, std::string_view body) {
  return "POST " + std::string(target) +
         " HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\n\r\n" + std::string(body);
}

TEST_F(LineListenerTest, AnHttpRequestEndsItsConnection) {
  const auto lines = listen(istatd_dialect());
  const auto graphite = listen(graphite_dialect());
  const auto statsd_listener = listen(statsd());
  for (const LineListener* listener : {lines.get(), graphite.get(), statsd_listener.get()}) {
    TcpConnection connection = TcpConnection::to(listener->endpoint());
    ASSERT_TRUE(connection.send(browser_post("/", "evil 1\nevil:1|c\n")));
    EXPECT_EQ(connection.receive(), "") << "closed";
    send(*listener, "POST 1\nPOST:1|g\n");
  }
  for (const std::string_view listener : {"tcp", "graphite_tcp", "statsd_tcp"}) {
    EXPECT_EQ(counter("statmill.line_connections_http", listener), 1U) << listener;
    EXPECT_EQ(received(listener), 2U) << listener << ": no line of the request is parsed";
    EXPECT_EQ(accepted(listener), 1U) << listener;
  }
  EXPECT_TRUE(bucket("evil").is_empty());
  EXPECT_TRUE(wait_until([&] { return connections_->limit().count() == 0; }));
}

TEST_F(LineListenerTest, AnHttpRequestInPiecesEndsItsConnection) {
  const auto graphite = listen(graphite_dialect());
  TcpConnection connection = TcpConnection::to(graphite->endpoint());
  uint64_t sent = 0;
  for (const std::string_view piece : {"PO", "ST /", " HTTP/1.1", "\r"}) {
    ASSERT_TRUE(connection.send(piece));
    sent += piece.size();
    ASSERT_TRUE(wait_until([&] { return intake.account("graphite_tcp").bytes.value() == sent; }));
  }
  ASSERT_TRUE(connection.send("\nevil 1\n"));
  EXPECT_EQ(connection.receive(), "") << "closed";
  EXPECT_EQ(counter("statmill.line_connections_http", "graphite_tcp"), 1U);
  EXPECT_EQ(received("graphite_tcp"), 0U);
}

TEST_F(LineListenerTest, ALongTargetDoesNotHideAnHttpRequest) {
  const auto lines = listen(istatd_dialect());
  TcpConnection connection = TcpConnection::to(lines->endpoint());
  // This fails if the listener closes the connection early.
  static_cast<void>(
      connection.send(browser_post("/" + std::string(4 * LineBuffer::kReadBytes, 'x'), "evil 1\n")));
  EXPECT_EQ(connection.receive(), "") << "closed";
  EXPECT_EQ(counter("statmill.line_connections_http", "tcp"), 1U);
  EXPECT_EQ(received("tcp"), 0U);
}

TEST_F(LineListenerTest, OnlyTheFirstLineOfAConnectionCanBeAnHttpRequest) {
  const auto lines = listen(istatd_dialect());
  send(*lines, "a 1\nPOST / HTTP/1.1\nb 2\n");
  EXPECT_EQ(accepted("tcp"), 2U);
  EXPECT_EQ(refused("tcp"), 1U);
  EXPECT_EQ(counter("statmill.line_connections_http", "tcp"), 0U);
}

TEST_F(LineListenerTest, StopParsesNoLineOfAnHttpRequest) {
  const auto lines = listen(istatd_dialect());
  TcpConnection connection = TcpConnection::to(lines->endpoint());
  ASSERT_TRUE(connection.send(browser_post("/", "evil 1\n")));
  lines->stop();
  EXPECT_EQ(counter("statmill.line_connections_http", "tcp"), 1U);
  EXPECT_EQ(received("tcp"), 0U);
}

TEST_F(LineListenerTest, LogsHttpRequestsAtALimitedRate) {
  testing::internal::CaptureStderr();
  const auto listener = std::make_unique<LineListener>(
      options_, istatd_dialect(), LineListener::Services{intake, registry, *connections_, clock_, warnings_});
  ASSERT_TRUE(listener->open());
  for (const int seconds : {0, 1, 20}) {
    clock_.advance(std::chrono::seconds(seconds));
    TcpConnection connection = TcpConnection::to(listener->endpoint());
    ASSERT_TRUE(connection.send(browser_post("/", "")));
    EXPECT_EQ(connection.receive(), "");
  }
  listener->stop();
  const std::string log = testing::internal::GetCapturedStderr();
  const std::string message = "HTTP request at a port for lines; connection closed setting=line.listen";
  const size_t first = log.find(message);
  const size_t second = log.find(message, first + 1);
  ASSERT_NE(second, std::string::npos) << log;
  EXPECT_EQ(log.find(message, second + 1), std::string::npos) << log;
  EXPECT_NE(log.find("sender=127.0.0.1:"), std::string::npos) << log;
  EXPECT_NE(log.find("held_back=1", second), std::string::npos) << log;
}

TEST(UdpSocket, HasTheConfiguredBufferSize) {
  boost::asio::io_context context;
  const auto given = [&](size_t wanted) {
    boost::asio::ip::udp::socket socket(context, boost::asio::ip::udp::v4());
    return prepare_datagram_socket(socket.native_handle(), wanted);
  };
  EXPECT_EQ(given(16384), 2 * 16384U) << "the kernel reports twice the size";
  EXPECT_EQ(given(65536), 2 * 65536U);
  EXPECT_GT(given(size_t{1} << 40), 2 * 65536U) << "a size over the maximum sets the largest possible one";
}

TEST_F(LineListenerTest, ErrorsNameTheSetting) {
  options_.listen.host = "no.address";
  LineListener listener(options_, graphite_dialect(), {intake, registry, *connections_, clock_, log_});
  const Status opened = listener.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, "graphite.listen no.address:0: not an IP address");
}

TEST_F(LineListenerTest, AcceptsDatagramsAtAUnixSocket) {
  const TempDirectory directory;
  options_.socket_path = (directory.path() / "lines").string();
  const auto listener = listen(istatd_dialect());
  EXPECT_EQ(std::filesystem::status(options_.socket_path).permissions(), std::filesystem::perms(0666))
      << "regardless of the umask";
  const LocalSender sender(options_.socket_path);
  ASSERT_TRUE(sender.is_connected());
  // These are more than the kernel buffers: the sender waits, and nothing is lost.
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(sender.send("a 1\n*b 2\nbad"));
  listener->stop();
  EXPECT_EQ(received("unix"), 3000U);
  EXPECT_EQ(accepted("unix"), 2000U);
  EXPECT_EQ(refused("unix", Refusal::kFieldCount), 1000U);
  EXPECT_EQ(bucket("a").count(), 1000U);
  EXPECT_EQ(counter("statmill.udp_datagrams", "unix"), 1000U);
  EXPECT_FALSE(LocalSender(options_.socket_path).is_connected()) << "the listener removes its socket";
}

// Ticks continuously, so that a stop always happens during a tick.
class TickingDialect final : public Dialect {
 public:
  TickingDialect()
      : Dialect({.setting = "line.listen",
                 .tcp_account = "tcp",
                 .udp_account = "udp",
                 .tick_interval = Duration(1)}) {}
  std::unique_ptr<LineParser> make_parser() override { return lines_->make_parser(); }
  void tick(Timestamp) override { std::this_thread::yield(); }

 private:
  const std::unique_ptr<Dialect> lines_ = istatd_dialect();
};

TEST_F(LineListenerTest, StopsWhileATickIsDue) {
  for (int i = 0; i < 300; ++i) {
    const auto listener = listen(std::make_unique<TickingDialect>());
    const auto due = SystemClock().steady() + std::chrono::microseconds(900 + i);
    while (SystemClock().steady() < due) std::this_thread::yield();
    listener->stop();
  }
}

TEST_F(LineListenerTest, WithoutAHostOpensOnlyTheUnixSocket) {
  const TempDirectory directory;
  options_.listen = {};
  options_.socket_path = (directory.path() / "lines").string();
  const auto listener = listen(istatd_dialect());
  EXPECT_EQ(listener->endpoint().port, 0);
  ASSERT_TRUE(LocalSender(options_.socket_path).send("a 1"));
  listener->stop();
  EXPECT_EQ(accepted("unix"), 1U);
}

TEST_F(LineListenerTest, ReplacesTheUnixSocketOfADeadServer) {
  const TempDirectory directory;
  options_.socket_path = (directory.path() / "lines").string();
  {
    const Descriptor dead(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ASSERT_TRUE(bind_unix_socket(dead.get(), options_.socket_path, 0600));
  }
  const auto listener = listen(istatd_dialect());
  EXPECT_TRUE(LocalSender(options_.socket_path).is_connected());
  LineListener second(options_, istatd_dialect(), {intake, registry, *connections_, clock_, log_});
  const Status busy = second.open();
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().code, ErrorCode::kBusy);
  EXPECT_TRUE(LocalSender(options_.socket_path).is_connected()) << "the first listener still has it";
}

}  // namespace
}  // namespace statmill
