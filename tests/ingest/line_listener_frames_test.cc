// Listeners whose streams are frames, and senders at the wrong port.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/ingest/line_listener_fixture.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using namespace std::string_literals;

std::string pickle_frame(const std::string& frame) {
  std::string out;
  for (int i = 3; i >= 0; --i) out.push_back(static_cast<char>(frame.size() >> (8 * i)));
  return out + frame;
}

// [("a", (now, N)), ("b", (now, 2 N))] in protocol 2, without a memo.
std::string pickle_of(char n) {
  const auto pair = [](char name, char value) {
    return "U\1"s + name + "J\xff\xff\xff\xffK" + value + "\x86\x86";
  };
  return "\x80\2]("s + pair('a', n) + pair('b', static_cast<char>(2 * n)) + "e.";
}

TEST_F(LineListenerTest, AcceptsPicklesInAnyPieces) {
  const auto pickles = listen(graphite_pickle_dialect(1 << 20));
  std::string stream;
  for (char i = 1; i <= 50; ++i) stream += pickle_frame(pickle_of(i));
  send(*pickles, stream);
  TcpConnection connection = TcpConnection::to(pickles->endpoint());
  for (size_t at = 0; at < stream.size(); at += 7) ASSERT_TRUE(connection.send(stream.substr(at, 7)));
  connection.finish_sending();
  EXPECT_EQ(connection.receive_all(), "");
  EXPECT_EQ(accepted("pickle"), 200U);
  EXPECT_EQ(received("pickle"), 200U);
  EXPECT_EQ(bucket("a").sum(), 2 * 50 * 51 / 2);
  EXPECT_EQ(bucket("b").sum(), 2 * 50 * 51);
  EXPECT_EQ(counter("statmill.received_bytes", "pickle"), 2 * stream.size());
}

TEST_F(LineListenerTest, APickleThatIsNoDataEndsItsConnection) {
  const auto pickles = listen(graphite_pickle_dialect(1 << 20));
  TcpConnection connection = TcpConnection::to(pickles->endpoint());
  ASSERT_TRUE(connection.send(pickle_frame(pickle_of(1)) + pickle_frame("cos\nsystem\n(S'ls'\ntR.") +
                              pickle_frame(pickle_of(2))));
  EXPECT_EQ(connection.receive_all(), "") << "closed although the sender has not finished";
  EXPECT_EQ(accepted("pickle"), 2U);
  EXPECT_EQ(received("pickle"), 3U);
  EXPECT_EQ(refused("pickle", Refusal::kBadPickle), 1U);
  EXPECT_EQ(counter("statmill.line_connections_foreign", "pickle"), 1U);
  EXPECT_EQ(intake.refusals().records().front().text,
            "pickle of 21 bytes: it names a class or a function (opcode c) at byte 0");
}

TEST_F(LineListenerTest, APickleOverTheLimitEndsItsConnection) {
  const auto pickles = listen(graphite_pickle_dialect(1024));
  TcpConnection connection = TcpConnection::to(pickles->endpoint());
  ASSERT_TRUE(connection.send("\0\0\4\1\x80\2](U"s));
  EXPECT_EQ(connection.receive_all(), "");
  EXPECT_EQ(refused("pickle", Refusal::kLineTooLong), 1U);
  EXPECT_EQ(counter("statmill.line_connections_foreign", "pickle"), 1U);
}

TEST_F(LineListenerTest, AnUnfinishedPickleIsRefused) {
  const auto pickles = listen(graphite_pickle_dialect(1 << 20));
  send(*pickles, pickle_frame(pickle_of(1)) + pickle_frame(pickle_of(2)).substr(0, 9));
  EXPECT_EQ(accepted("pickle"), 2U);
  EXPECT_EQ(refused("pickle", Refusal::kUnterminated), 1U);
}

TEST_F(LineListenerTest, SaysThatLinesCameToThePortForPickles) {
  const auto pickles = listen(graphite_pickle_dialect(1 << 20));
  for (const char* text : {"disk.used 12.5 -1\n", "GET / HTTP/1.1\r\n\r\n"}) {
    TcpConnection connection = TcpConnection::to(pickles->endpoint());
    ASSERT_TRUE(connection.send(text));
    EXPECT_EQ(connection.receive_all(), "") << text;
  }
  EXPECT_EQ(refused("pickle", Refusal::kWrongProtocol), 2U);
  EXPECT_EQ(received("pickle"), 2U);
  EXPECT_EQ(counter("statmill.line_connections_foreign", "pickle"), 2U);
}

TEST_F(LineListenerTest, SaysThatAPickleCameToAPortForLines) {
  const auto graphite = listen(graphite_dialect());
  const std::string pickle = pickle_frame(pickle_of(1));
  TcpConnection whole = TcpConnection::to(graphite->endpoint());
  ASSERT_TRUE(whole.send(pickle));
  EXPECT_EQ(whole.receive_all(), "") << "its sender does not believe that all was accepted";
  TcpConnection pieces = TcpConnection::to(graphite->endpoint());
  ASSERT_TRUE(pieces.send("\0\0"s));
  ASSERT_TRUE(
      wait_until([&] { return counter("statmill.received_bytes", "graphite_tcp") == pickle.size() + 2; }));
  ASSERT_TRUE(pieces.send(pickle.substr(2)));
  EXPECT_EQ(pieces.receive_all(), "");
  EXPECT_EQ(refused("graphite_tcp", Refusal::kWrongProtocol), 2U);
  EXPECT_EQ(received("graphite_tcp"), 2U);
  EXPECT_EQ(counter("statmill.line_connections_foreign", "graphite_tcp"), 2U);
  EXPECT_EQ(intake.refusals().records().front().text,
            "a pickle: those of Graphite have a port of their own, --graphite.pickle");
}

std::string dogstatsd_frame(const std::string& lines) {
  std::string out;
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(lines.size() >> (8 * i)));
  return out + lines;
}

TEST_F(LineListenerTest, AcceptsDatagramsAndFramesOfStatsdAtUnixSockets) {
  const TempDirectory directory;
  options_.listen = {};
  options_.socket_path = (directory.path() / "datagrams").string();
  options_.stream_socket_path = (directory.path() / "streams").string();
  const auto listener = listen(statsd());
  ASSERT_TRUE(LocalSender(options_.socket_path).send("steps:10|g\nsize:1|c"));
  ASSERT_TRUE(wait_until([&] { return accepted("statsd_unix") == 2; }));
  TcpConnection connection = unix_connection(options_.stream_socket_path);
  const std::string stream = dogstatsd_frame("steps:+4|g\nsize:2|c") + dogstatsd_frame("size:3|c\n");
  for (const char byte : stream) ASSERT_TRUE(connection.send({&byte, 1}));
  connection.finish_sending();
  EXPECT_EQ(connection.receive_all(), "");
  TcpConnection unfinished = unix_connection(options_.stream_socket_path);
  ASSERT_TRUE(unfinished.send(dogstatsd_frame("size:4|c")));
  ASSERT_TRUE(wait_until([&] { return accepted("statsd_stream") == 4; }));
  ASSERT_TRUE(unfinished.send(dogstatsd_frame("size:5|c")));
  listener->stop();
  EXPECT_EQ(accepted("statsd_stream"), 5U) << "what was sent before the stop";
  EXPECT_EQ(bucket("size").sum(), 1 + 2 + 3 + 4 + 5);
  EXPECT_EQ(bucket("steps").sum(), 10 + 14) << "both have the same gauges";
  EXPECT_EQ(counter("statmill.received_bytes", "statsd_stream"), stream.size() + 2 * 12);
  EXPECT_FALSE(std::filesystem::exists(options_.stream_socket_path));
}

TEST_F(LineListenerTest, SaysThatLinesCameToTheStreamSocket) {
  const TempDirectory directory;
  options_.listen = {};
  options_.stream_socket_path = (directory.path() / "streams").string();
  const auto listener = listen(statsd());
  TcpConnection connection = unix_connection(options_.stream_socket_path);
  ASSERT_TRUE(connection.send("size:1|c\n"));
  EXPECT_EQ(connection.receive_all(), "");
  EXPECT_EQ(refused("statsd_stream", Refusal::kWrongProtocol), 1U);
}

}  // namespace
}  // namespace statmill
