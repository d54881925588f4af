#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/net/event_thread.h"
#include "base/net/tcp_acceptor.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using testing::ElementsAre;

const Endpoint kAnyPort{"127.0.0.1", 0};

// An acceptor with two loops; records what happens to its connections.
class TcpAcceptorTest : public testing::Test {
 protected:
  ~TcpAcceptorTest() override { stop(); }

  void accept() {
    ASSERT_TRUE(acceptor_->bind("a.listen", kAnyPort));
    for (auto& thread : threads_) thread.start(log_, "test");
    asio::post(threads_[0].loop(), [this] { acceptor_->accept(); });
  }
  void stop() {
    if (!acceptor_) return;
    asio::post(threads_[0].loop(), [this] { acceptor_->close(); });
    for (auto& thread : threads_) thread.release();
    for (auto& thread : threads_) thread.join();
    acceptor_.reset();
  }
  tcp::socket connect() {
    tcp::socket socket(io_);
    socket.connect(acceptor_->local());
    return socket;
  }
  // Returns what the acceptor's side sends: the number of the loop that got the connection, or nothing.
  static std::string hear(tcp::socket socket) {
    std::string heard;
    boost::system::error_code error;
    asio::read(socket, asio::dynamic_buffer(heard), error);
    return heard;
  }

  Log log_{LogLevel::kError};
  asio::io_context io_;
  EventThread threads_[2];
  SessionLimit limit_{8, 8};
  std::atomic<int> accepted_{0};
  std::atomic<int> refused_{0};
  std::unique_ptr<TcpAcceptor> acceptor_ = std::make_unique<TcpAcceptor>(
      std::vector<asio::io_context*>{&threads_[0].loop(), &threads_[1].loop()},
      TcpAcceptor::Owner{.limit = limit_,
                         .refused = [this](ConnectionRefusal) { ++refused_; },
                         .accepted = [this] { ++accepted_; },
                         .adopt =
                             [](size_t loop, TcpAcceptor::Accepted accepted) {
                               EXPECT_TRUE(accepted.peer.address().is_loopback());
                               boost::system::error_code ignored;
                               asio::write(accepted.socket, asio::buffer(std::to_string(loop)), ignored);
                             }});
};

TEST_F(TcpAcceptorTest, AssignsConnectionsToLoopsInTurn) {
  accept();
  std::vector<std::string> heard;
  for (int i = 0; i < 4; ++i) heard.push_back(hear(connect()));
  EXPECT_THAT(heard, ElementsAre("0", "1", "0", "1"));
  EXPECT_EQ(accepted_, 4);
  EXPECT_EQ(refused_, 0);
}

TEST_F(TcpAcceptorTest, ClosesConnectionsWithoutRoom) {
  accept();
  {
    std::vector<SessionLimit::Place> places;
    while (limit_.count() < limit_.max()) places.push_back(limit_.enter(std::nullopt));
    EXPECT_EQ(hear(connect()), "");
    EXPECT_EQ(refused_, 1);
  }
  EXPECT_NE(hear(connect()), "");
  EXPECT_EQ(accepted_, 1);
}

TEST_F(TcpAcceptorTest, DrainsConnectionsThatTheKernelHasEstablished) {
  ASSERT_TRUE(acceptor_->bind("a.listen", kAnyPort));
  std::vector<tcp::socket> connections;
  for (int i = 0; i < 3; ++i) connections.push_back(connect());
  int drained = 0;
  acceptor_->drain([&](const TcpAcceptor::Accepted& accepted) {
    EXPECT_EQ(accepted.peer, connections[static_cast<size_t>(drained)].local_endpoint());
    ++drained;
  });
  EXPECT_EQ(drained, 3);
  tcp::socket late(io_);
  boost::system::error_code error;
  late.connect(acceptor_->local(), error);
  EXPECT_EQ(error, asio::error::connection_refused);
}

TEST_F(TcpAcceptorTest, ErrorsNameTheSetting) {
  EXPECT_EQ(acceptor_->bind("a.listen", {"no.address", 1}).error().message,
            "a.listen no.address:1: not an IP address");
  EXPECT_EQ(acceptor_->bind("a.listen", {"no.address", 1}).error().code, ErrorCode::kInvalid);
  accept();
  TcpAcceptor second({&io_}, {.limit = SessionLimit(1), .refused = {}, .accepted = {}, .adopt = {}});
  const Status bound = second.bind("b.listen", acceptor_->endpoint());
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().code, ErrorCode::kBusy);
  EXPECT_EQ(bound.error().message, "b.listen " + acceptor_->endpoint().text() + ": Address already in use");
}

TEST(ListenAddress, AcceptsLocalhost) {
  EXPECT_EQ(listen_address("a", {"localhost", 1})->to_string(), "127.0.0.1");
  EXPECT_EQ(listen_address("a", {"::1", 1})->to_string(), "::1");
}

TEST(EventThread, EndsOnceReleasedAndWithoutWork) {
  Log log(LogLevel::kError);
  std::promise<std::thread::id> ran;
  {
    EventThread thread;
    thread.start(log, "test");
    asio::post(thread.loop(), [&] { ran.set_value(std::this_thread::get_id()); });
  }
  EXPECT_NE(ran.get_future().get(), std::this_thread::get_id());
}

TEST(EventThreadDeathTest, ThrowingHandlerEndsTheProcessWithALogLine) {
  EXPECT_DEATH(
      {
        Log log(LogLevel::kError);
        EventThread thread;
        thread.start(log, "test");
        asio::post(thread.loop(), [] { throw std::runtime_error("some fault"); });
        thread.join();
      },
      "thread failed thread=test reason=\"some fault\"");
}

}  // namespace
}  // namespace statmill
