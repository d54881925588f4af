// The sender against a server in the same io_context: every wait is for an event, and the order is the
// test's.
#include "agent/sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <string>

namespace statmill {
namespace {

using Tcp = boost::asio::ip::tcp;
using ErrorValue = boost::system::error_code;
using testing::AnyOf;
using testing::StartsWith;

LineBatch batch_of(const std::string& text) {
  return {text, static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'))};
}

class SenderTest : public testing::Test {
 protected:
  void SetUp() override { listen(0); }

  void listen(uint16_t port) {
    acceptor_.emplace(io_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), port));
    port_ = acceptor_->local_endpoint().port();
    accept();
  }
  // Nobody listens any more, and whoever is connected is thrown out.
  void go_away() {
    acceptor_.reset();
    hang_up();
  }
  void hang_up() {
    connection_.reset();
    text_.clear();
  }
  void accept() {
    acceptor_->async_accept([this](const ErrorValue& error, Tcp::socket socket) {
      if (error) return;
      ++accepted_;
      connection_.emplace(std::move(socket));
      if (reading_) read();
      accept();
    });
  }
  void read() {
    const auto handle = [this, number = accepted_](const ErrorValue& error, size_t bytes) {
      if (!connection_ || number != accepted_) return;  // hung up meanwhile
      if (error) {
        ended_ = true;
        return;
      }
      text_.append(chunk_.data(), bytes);
      read();
    };
    connection_->async_read_some(boost::asio::buffer(chunk_), handle);
  }
  // Runs both sides until it is so.
  template <class Condition>
  void run_until(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit) << "waited in vain; received: " << text_;
      io_.run_one_for(std::chrono::seconds(1));
    }
  }
  SenderOptions options(size_t queue_bytes_max = 1 << 20) const {
    return {.server = {"127.0.0.1", port_},
            .queue_bytes_max = queue_bytes_max,
            .backoff_min = Duration(1),
            .backoff_max = Duration(20)};
  }

  boost::asio::io_context io_;
  Log log_{LogLevel::kError};
  std::optional<Tcp::acceptor> acceptor_;
  std::optional<Tcp::socket> connection_;
  std::array<char, 4096> chunk_;
  uint16_t port_ = 0;
  int accepted_ = 0;
  bool reading_ = true;
  bool ended_ = false;
  std::string text_;  // received on the present connection
};

TEST_F(SenderTest, SendsWhatItIsGivenInOrder) {
  Sender sender(io_, log_, options());
  sender.send(batch_of("a 1 1\n"));
  sender.start();
  sender.send(batch_of("b 2 2\nc 2 3\n"));
  run_until([&] { return text_ == "a 1 1\nb 2 2\nc 2 3\n"; });
  sender.send(batch_of("d 3 4\n"));
  run_until([&] { return text_ == "a 1 1\nb 2 2\nc 2 3\nd 3 4\n"; });
  EXPECT_EQ(sender.samples_sent(), 4U);
  EXPECT_EQ(sender.samples_dropped(), 0U);
  EXPECT_EQ(sender.reconnects(), 0U);
}

TEST_F(SenderTest, FindsTheServerByName) {
  SenderOptions by_name = options();
  by_name.server.host = "localhost";
  Sender sender(io_, log_, by_name);
  sender.start();
  EXPECT_TRUE(sender.resolving());
  sender.send(batch_of("a 1 1\n"));
  run_until([&] { return text_ == "a 1 1\n"; });
  EXPECT_FALSE(sender.resolving());
}

TEST_F(SenderTest, KeepsBatchesWhileTheServerIsAwayWithTheirTimes) {
  Sender sender(io_, log_, options());
  sender.start();
  run_until([&] { return sender.connected() && accepted_ == 1; });
  go_away();
  run_until([&] { return !sender.connected(); });
  sender.send(batch_of("a 100 1\n"));
  sender.send(batch_of("a 101 2\n"));
  EXPECT_EQ(sender.samples_sent(), 0U);
  listen(port_);
  run_until([&] { return text_ == "a 100 1\na 101 2\n"; });
  EXPECT_EQ(sender.samples_sent(), 2U);
  EXPECT_EQ(sender.reconnects(), 1U);
  EXPECT_EQ(sender.samples_dropped(), 0U);
}

TEST_F(SenderTest, SurvivesAServerThatHangsUpAtOnce) {
  Sender sender(io_, log_, options());
  sender.start();
  for (int i = 1; i <= 5; ++i) {
    run_until([&] { return accepted_ == i; });
    hang_up();
  }
  run_until([&] { return accepted_ == 6 && sender.reconnects() == 5; });
  sender.send(batch_of("a 1 1\n"));
  run_until([&] { return text_ == "a 1 1\n"; });
}

// The server reads a part of a long queue and resets the connection, over and over. A line may be lost with a
// connection, but none may come twice, and none may begin in the middle.
TEST_F(SenderTest, NeverSendsALineTwiceAndAlwaysBeginsWithAWholeOne) {
  Sender sender(io_, log_, options(8 << 20));
  constexpr int kLines = 200'000;
  for (int i = 0; i < kLines; i += 100) {
    std::string text;
    for (int k = i; k < i + 100; ++k) text += "line " + std::to_string(k) + " of-many\n";
    sender.send(batch_of(text));
  }
  sender.start();
  constexpr int kCuts = 5;
  int last = -1;
  int connections = 0;
  while (last != kLines - 1) {
    ++connections;
    // The first connections are cut while lines are under way; the last lives.
    const size_t enough = connections <= kCuts ? 30'001 : std::string::npos;
    const std::string end = "line " + std::to_string(kLines - 1) + " of-many\n";
    run_until([&] { return text_.size() >= enough || text_.ends_with(end); });
    if (HasFatalFailure()) return;
    std::string_view rest(text_);
    while (rest.find('\n') != std::string_view::npos) {
      ASSERT_THAT(std::string(rest.substr(0, 5)), StartsWith("line "));
      const int number = std::stoi(std::string(rest.substr(5, rest.find(' ', 5) - 5)));
      ASSERT_GT(number, last) << "line sent twice";
      last = number;
      rest.remove_prefix(rest.find('\n') + 1);
    }
    if (connections <= kCuts) hang_up();
  }
  EXPECT_EQ(sender.reconnects(), uint64_t{kCuts});
  EXPECT_EQ(sender.samples_sent(), uint64_t{kLines});
}

TEST_F(SenderTest, DropsTheOldestBatchesOverTheBoundAndCountsThem) {
  go_away();
  Sender sender(io_, log_, options(4096));
  sender.start();
  for (int i = 0; i < 10; ++i) {
    sender.send(batch_of("n " + std::to_string(i) + " 1\n" + std::string(1000, 'x') + " 1 1\n"));
  }
  EXPECT_EQ(sender.samples_dropped(), 14U);
  listen(port_);
  run_until([&] { return std::count(text_.begin(), text_.end(), '\n') == 6; });
  EXPECT_THAT(text_, StartsWith("n 7 1\n"));
  EXPECT_EQ(sender.samples_sent(), 6U);
}

TEST_F(SenderTest, FinishSendsWhatIsLeftAndEndsTheConnection) {
  Sender sender(io_, log_, options());
  sender.start();
  run_until([&] { return sender.connected(); });
  sender.send(batch_of("last 1 1\n"));
  bool done = false;
  sender.finish(Duration(10'000), [&] { done = true; });
  run_until([&] { return done && ended_; });
  EXPECT_EQ(text_, "last 1 1\n");
}

TEST_F(SenderTest, FinishGivesUpOnAServerThatDoesNotRead) {
  reading_ = false;
  Sender sender(io_, log_, options(64 << 20));
  sender.start();
  run_until([&] { return sender.connected(); });
  for (int i = 0; i < 32; ++i) sender.send(batch_of(std::string(1 << 20, 'x') + "\n"));
  bool done = false;
  const auto start = std::chrono::steady_clock::now();
  sender.finish(Duration(10), [&] { done = true; });
  EXPECT_FALSE(done) << "there is still something to send";
  run_until([&] { return done; });
  EXPECT_LT(std::chrono::steady_clock::now() - start, Duration(Sender::kUnacknowledgedMsMax) / 2)
      << "the kernel gave up, not finish()";
  EXPECT_LT(sender.samples_sent(), 32U);
}

TEST_F(SenderTest, FinishDoesNotWaitForAServerThatIsAway) {
  go_away();
  Sender sender(io_, log_, options());
  sender.start();
  sender.send(batch_of("a 1 1\n"));
  bool done = false;
  sender.finish(Duration(1'000'000), [&] { done = true; });
  run_until([&] { return done; });
  EXPECT_EQ(sender.samples_sent(), 0U);
}

}  // namespace
}  // namespace statmill
