#include "base/net/tls_channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <string>

#include "base/descriptor.h"
#include "base/net/tls_context.h"
#include "tests/support/certificate.h"

namespace statmill {
namespace {

using State = TlsChannel::State;

// Two channels over a pair of sockets with small buffers, so that both sides have to wait often.
class TlsChannelTest : public testing::Test {
 protected:
  void SetUp() override {
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    for (size_t i = 0; i < 2; ++i) {
      sockets_[i] = Descriptor(pair[i]);
      constexpr int kBytes = 4096;
      ::setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &kBytes, sizeof kBytes);
    }
    ASSERT_TRUE(tls_.load());
    trusting_ = *client_tls(files_.certificate);
    server_ = std::make_unique<TlsChannel>(*tls_.context(), sockets_[0].get());
  }
  void connect(const std::string& name) {
    client_ = std::make_unique<TlsChannel>(*trusting_, sockets_[1].get(), name);
  }
  // Returns the states of client and server at the end.
  std::pair<State, State> shake_hands() {
    TlsChannel::Outcome client;
    TlsChannel::Outcome server;
    client.state = server.state = State::kWaitRead;
    for (int i = 0; i < 100; ++i) {
      if (client.state != State::kDone && client.state != State::kFailed) client = client_->handshake();
      if (server.state != State::kDone && server.state != State::kFailed) server = server_->handshake();
    }
    return {client.state, server.state};
  }

  TempDirectory directory_;
  CertificateFiles files_ = make_certificate(directory_, "IP:127.0.0.1,DNS:stat.example");
  ServerTls tls_{"test", {files_.certificate, files_.key}};
  std::shared_ptr<TlsContext> trusting_;
  Descriptor sockets_[2];
  std::unique_ptr<TlsChannel> server_;
  std::unique_ptr<TlsChannel> client_;
};

TEST_F(TlsChannelTest, BytesArriveInOrderWhateverTheBuffersHold) {
  connect("stat.example");
  ASSERT_EQ(shake_hands(), std::pair(State::kDone, State::kDone));
  std::string sent(300'000, '\0');
  for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 7 % 251);
  std::string received;
  std::string room(10'007, '\0');
  size_t written = 0;
  for (int i = 0; i < 10'000 && received.size() < sent.size(); ++i) {
    if (written < sent.size()) written += client_->write(std::string_view(sent).substr(written)).bytes;
    received.append(room, 0, server_->read(room).bytes);
  }
  EXPECT_TRUE(received == sent);
  EXPECT_FALSE(server_->holds_bytes());
  client_->end_writing();
  EXPECT_EQ(server_->read(room).fault, boost::asio::error::eof);
}

TEST_F(TlsChannelTest, AConnectionThatIsCutIsNotAtItsEnd) {
  connect("127.0.0.1");
  ASSERT_EQ(shake_hands(), std::pair(State::kDone, State::kDone));
  ASSERT_EQ(::shutdown(sockets_[1].get(), SHUT_WR), 0);
  std::string room(100, '\0');
  EXPECT_EQ(server_->read(room).fault, boost::asio::ssl::error::stream_truncated);
}

TEST_F(TlsChannelTest, AFaultAfterBytesKeepsItsName) {
  connect("127.0.0.1");
  ASSERT_EQ(shake_hands(), std::pair(State::kDone, State::kDone));
  ASSERT_EQ(client_->write("last").bytes, 4U);
  ASSERT_EQ(::send(sockets_[1].get(),
                   "\x17\x03\x03\x00\x20"
                   "no record of this session, at all",
                   37, 0),
            37);
  std::string room(100, '\0');
  EXPECT_EQ(server_->read(room).bytes, 4U);
  for (int i = 0; i < 2; ++i) {
    const auto outcome = server_->read(room);
    EXPECT_EQ(outcome.state, State::kFailed);
    EXPECT_NE(outcome.fault, boost::asio::error::eof);
  }
}

TEST_F(TlsChannelTest, APeerThatHasEndedMayStillGetAnAnswer) {
  connect("127.0.0.1");
  ASSERT_EQ(shake_hands(), std::pair(State::kDone, State::kDone));
  ASSERT_EQ(client_->write("question").bytes, 8U);
  ASSERT_EQ(::shutdown(sockets_[1].get(), SHUT_WR), 0);
  std::string room(100, '\0');
  EXPECT_EQ(server_->read(room).bytes, 8U);
  EXPECT_EQ(server_->write("answer").bytes, 6U);
}

TEST_F(TlsChannelTest, OnlyTheNamesOfTheCertificateAreAccepted) {
  for (const char* name : {"other.example", "127.0.0.2", "example"}) {
    SetUp();
    connect(name);
    EXPECT_EQ(shake_hands().first, State::kFailed) << name;
  }
}

TEST_F(TlsChannelTest, BytesThatAreNoHandshakeFail) {
  ASSERT_EQ(::send(sockets_[1].get(), "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
  EXPECT_EQ(server_->handshake().state, State::kFailed);
  server_->end_writing();  // has no effect
}

TEST(ServerTls, LoadsFilesAgainAndKeepsTheOldOnAnError) {
  const TempDirectory directory;
  const CertificateFiles files = make_certificate(directory, "IP:127.0.0.1");
  ServerTls tls("test", {files.certificate, files.key});
  EXPECT_EQ(tls.context(), nullptr);
  ASSERT_TRUE(tls.load());
  const auto first = tls.context();
  ASSERT_TRUE(tls.load());
  EXPECT_NE(tls.context(), first);
  const auto second = tls.context();
  std::filesystem::remove(files.key);
  EXPECT_FALSE(tls.load());
  EXPECT_EQ(tls.context(), second);
}

TEST(ServerTls, PlainPortsAreForThisHostUnlessAllowed) {
  const auto address = [](const char* text) { return boost::asio::ip::make_address(text); };
  const ServerTls off("test", {});
  EXPECT_TRUE(off.check_plain({"127.0.0.2", 1}, address("127.0.0.2"), false));
  EXPECT_TRUE(off.check_plain({"::1", 1}, address("::1"), false));
  EXPECT_FALSE(off.check_plain({"0.0.0.0", 1}, address("0.0.0.0"), false));
  EXPECT_TRUE(off.check_plain({"0.0.0.0", 1}, address("0.0.0.0"), true));
  EXPECT_TRUE(ServerTls("test", {"c", "k"}).check_plain({"0.0.0.0", 1}, address("0.0.0.0"), false));
}

}  // namespace
}  // namespace statmill
