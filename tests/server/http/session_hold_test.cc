// Responses that wait until something else calls: for as long as that takes, without a thread.
#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "tests/server/http/http_peer.h"

namespace statmill {
namespace {

// A server with one thread, whose route /held waits.
class SessionHoldTest : public testing::Test {
 protected:
  void start(HttpOptions options = {}) {
    Route held{"POST", "/held", {}, 0, {}, "waits"};
    held.respond = [this](const HttpRequest&, const Url&) {
      HttpResponse response{.status = 204, .body = {}, .fields = {{"X-Held", "yes"}}};
      response.hold = [this](std::function<void()> send) { on_hold_(std::move(send)); };
      return response;
    };
    HttpSite site = fake_.site();
    site.routes.push_back(std::move(held));
    auto opened = HttpServer::open(io_, {"127.0.0.1", 0}, std::move(site), options);
    ASSERT_TRUE(opened);
    server_ = std::move(*opened);
    loop_ = std::thread([this] { io_.run(); });
  }
  ~SessionHoldTest() override {
    server_->stop();
    loop_.join();
  }
  HttpPeer ask() {
    HttpPeer peer(server_->local_endpoint());
    EXPECT_TRUE(peer.send("POST /held HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"));
    return peer;
  }

  FakeServices fake_;
  std::function<void(std::function<void()>)> on_hold_;
  boost::asio::io_context io_;
  std::unique_ptr<HttpServer> server_;
  std::thread loop_;
};

TEST_F(SessionHoldTest, IsSentOnceItIsCalled) {
  std::promise<std::function<void()>> held;
  on_hold_ = [&](std::function<void()> send) { held.set_value(std::move(send)); };
  start();
  HttpPeer peer = ask();
  const auto send = held.get_future().get();
  HttpPeer other(server_->local_endpoint());  // the only thread of the server does not wait
  other.send_get("/healthz");
  EXPECT_EQ(other.receive().status, 200);
  send();
  PeerReply reply = peer.receive_head();
  EXPECT_EQ(reply.status, 204);
  EXPECT_EQ(reply.fields["X-Held"], "yes");
  peer.send_get("/healthz");
  EXPECT_EQ(peer.receive().status, 200) << "the connection goes on";
}

TEST_F(SessionHoldTest, IsSentAtOnceIfItIsCalledAtOnce) {
  on_hold_ = [](const std::function<void()>& send) { send(); };
  start();
  EXPECT_EQ(ask().receive_head().status, 204);
}

TEST_F(SessionHoldTest, IsAnErrorAfterTheTimeLimit) {
  std::function<void()> late;
  on_hold_ = [&](std::function<void()> send) { late = std::move(send); };
  start({.hold_timeout = Duration(20)});
  HttpPeer peer = ask();
  EXPECT_EQ(peer.receive().status, 503);
  late();  // changes nothing
  peer.send_get("/healthz");
  EXPECT_EQ(peer.receive().status, 200);
}

TEST_F(SessionHoldTest, AStopEndsTheWait) {
  std::promise<std::function<void()>> held;
  on_hold_ = [&](std::function<void()> send) { held.set_value(std::move(send)); };
  start({.hold_timeout = std::chrono::hours(1), .stop_grace = Duration(20)});
  HttpPeer peer = ask();
  const auto send = held.get_future().get();
  server_->stop();
  EXPECT_TRUE(peer.sees_end());
  send();  // lets the loop end
}

}  // namespace
}  // namespace statmill
