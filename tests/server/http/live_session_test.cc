// Live streams over connections: they begin at once, and end with the client, with the server, and when the
// client does not read.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/mutex.h"
#include "tests/server/http/http_peer.h"

namespace statmill {
namespace {

// Feeds whose bytes the test chooses.
class FakeLive final : public LiveSource {
 public:
  class Feed final : public LiveFeed {
   public:
    Feed(FakeLive& live, std::function<void()> wake) : live_(live), wake_(std::move(wake)) { ++live_.alive; }
    ~Feed() override { --live_.alive; }
    std::string take() override {
      MutexLock lock(mutex_);
      return std::exchange(bytes_, {});
    }
    bool is_cut() const override { return is_cut_; }
    void put(std::string_view bytes) {
      {
        MutexLock lock(mutex_);
        bytes_.append(bytes);
      }
      wake_();
    }
    void cut() {
      is_cut_ = true;
      wake_();
    }

   private:
    FakeLive& live_;
    const std::function<void()> wake_;
    std::atomic<bool> is_cut_{false};
    Mutex mutex_;
    std::string bytes_ GUARDED_BY(mutex_);
  };

  Result<std::shared_ptr<LiveFeed>> open(std::string_view body, std::function<void()> wake) override {
    if (body == "{}") return Error{ErrorCode::kUnavailable, "too many"};
    auto feed = std::make_shared<Feed>(*this, std::move(wake));
    feed->put("hello " + std::string(body) + "\n");
    MutexLock lock(mutex_);
    last_ = feed;
    return std::shared_ptr<LiveFeed>(std::move(feed));
  }
  std::shared_ptr<Feed> last() {
    MutexLock lock(mutex_);
    return last_.lock();
  }

  std::atomic<int> alive{0};

 private:
  Mutex mutex_;
  std::weak_ptr<Feed> last_ GUARDED_BY(mutex_);
};

class LiveSessionTest : public testing::Test {
 protected:
  LiveSessionTest() {
    HttpSite site = fake_.site();
    site.live = &live_;
    auto opened = HttpServer::open(io_, {"127.0.0.1", 0}, std::move(site), options_);
    EXPECT_TRUE(opened);
    server_ = *std::move(opened);
    loop_ = std::thread([this] { io_.run(); });
  }
  ~LiveSessionTest() override { stop(); }
  void stop() {
    if (!loop_.joinable()) return;
    server_->stop();
    loop_.join();
  }
  TcpConnection ask(std::string_view body, std::string_view version = "1.1",
                    std::string_view type = "application/json") {
    TcpConnection connection = TcpConnection::to(server_->local_endpoint());
    EXPECT_TRUE(connection.send("POST /api/v1/live HTTP/" + std::string(version) +
                                "\r\nHost: h\r\nContent-Type: " + std::string(type) + "\r\nContent-Length: " +
                                std::to_string(body.size()) + "\r\n\r\n" + std::string(body)));
    return connection;
  }
  static std::string receive_until(TcpConnection& connection, std::string_view text) {
    std::string got;
    while (got.find(text) == std::string::npos) {
      const std::string part = connection.receive();
      if (part.empty()) break;
      got += part;
    }
    return got;
  }
  bool all_end() {
    const auto deadline = std::chrono::steady_clock::now() + kSocketTimeout;
    while (live_.alive > 0) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  FakeServices fake_;
  FakeLive live_;
  HttpOptions options_;
  boost::asio::io_context io_;
  std::unique_ptr<HttpServer> server_;
  std::thread loop_;
};

TEST_F(LiveSessionTest, SendsWhatComes) {
  TcpConnection connection = ask(R"({"a":1})");
  const std::string begin = receive_until(connection, "hello");
  EXPECT_TRUE(begin.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(begin.find("Content-Type: text/event-stream\r\n"), std::string::npos);
  EXPECT_NE(begin.find("Cache-Control: no-store\r\n"), std::string::npos);
  EXPECT_NE(begin.find("\r\n\r\ne\r\nhello {\"a\":1}\n\r\n"), std::string::npos) << begin;
  live_.last()->put("more\n");
  EXPECT_EQ(receive_until(connection, "more"), "5\r\nmore\n\r\n");
  connection.close();
  EXPECT_TRUE(all_end()) << "the stream ends with its client";
}

TEST_F(LiveSessionTest, HasNoChunksForOldClients) {
  TcpConnection connection = ask(R"({"a":1})", "1.0");
  const std::string begin = receive_until(connection, "hello");
  EXPECT_NE(begin.find("\r\n\r\nhello {\"a\":1}\n"), std::string::npos) << begin;
  EXPECT_EQ(begin.find("chunked"), std::string::npos);
}

TEST_F(LiveSessionTest, RefusalsKeepTheConnection) {
  HttpPeer peer(ask("{}"));
  PeerReply busy = peer.receive();
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(busy.fields["Retry-After"], "1");
  peer.send_get("/healthz");
  EXPECT_EQ(peer.receive().status, 200);
  HttpPeer plain(ask("{\"a\":1}", "1.1", "text/plain"));
  EXPECT_EQ(plain.receive().status, 415);
}

TEST_F(LiveSessionTest, ACutStreamEnds) {
  TcpConnection connection = ask(R"({"a":1})");
  receive_until(connection, "hello");
  live_.last()->cut();
  EXPECT_EQ(connection.receive_all().find("0\r\n\r\n"), std::string::npos) << "not as a whole answer";
  EXPECT_TRUE(all_end());
}

TEST_F(LiveSessionTest, StreamsEndWithTheServer) {
  TcpConnection connection = ask(R"({"a":1})");
  receive_until(connection, "hello");
  stop();
  connection.receive_all();
  EXPECT_EQ(live_.alive, 0);
}

TEST_F(LiveSessionTest, WhatElseTheClientSendsIsIgnored) {
  TcpConnection connection = ask(R"({"a":1})");
  receive_until(connection, "hello");
  EXPECT_TRUE(connection.send(std::string(100'000, 'x')));
  live_.last()->put("more\n");
  EXPECT_NE(receive_until(connection, "more").find("more"), std::string::npos);
}

}  // namespace
}  // namespace statmill
