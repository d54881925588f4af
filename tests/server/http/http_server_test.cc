// HttpServer: free ports, IPv6, an address in use, the connection limit, an orderly stop.
#include "server/http/http_server.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <future>

#include "tests/server/http/http_peer.h"

namespace statmill {
namespace {

TEST(HttpServerTest, ListensOnAFreePort) {
  FakeServices fake;
  RunningServer server(fake);
  EXPECT_EQ(server.endpoint().host, "127.0.0.1");
  EXPECT_NE(server.endpoint().port, 0);
}

TEST(HttpServerTest, ListensOnIpv6) {
  FakeServices fake;
  boost::asio::io_context io;
  const auto server = HttpServer::open(io, {"::1", 0}, fake.site());
  if (!server) GTEST_SKIP() << "no IPv6 here: " << server.error().message;
  EXPECT_TRUE((*server)->local_endpoint().text().starts_with("[::1]:"));
}

TEST(HttpServerTest, AddressInUseIsBusy) {
  FakeServices fake;
  RunningServer first(fake);
  boost::asio::io_context io;
  const auto second = HttpServer::open(io, first.endpoint(), fake.site());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_EQ(second.error().message, "http.listen " + first.endpoint().text() + ": address already in use");
}

TEST(HttpServerTest, AddressOfAnotherHostIsRefused) {
  FakeServices fake;
  boost::asio::io_context io;
  const auto foreign = HttpServer::open(io, {"192.0.2.1", 0}, fake.site());  // RFC 5737: nobody's address
  ASSERT_FALSE(foreign.has_value());
  EXPECT_EQ(foreign.error().code, ErrorCode::kIo);
  const auto nonsense = HttpServer::open(io, {"no host", 1}, fake.site());
  ASSERT_FALSE(nonsense.has_value());
  EXPECT_EQ(nonsense.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(nonsense.error().message, "http.listen no host:1: no such host");
}

// Uses one event loop, one worker and one thread for queries.
TEST(HttpServerTest, QueriesThatWaitForTheDiskBlockNothingElse) {
  FakeServices fake;
  std::promise<void> disk;
  std::promise<void> asked;
  std::once_flag first;
  fake.on_query = [&, released = disk.get_future().share()](const QueryRequest&) -> Result<QueryAnswer> {
    std::call_once(first, [&] { asked.set_value(); });
    released.wait();
    return small_answer();
  };
  boost::asio::io_context io;
  HttpWorkers workers({.memory = 1, .store = 0}, nullptr, "http");
  QueryOptions options;
  options.pool.threads = 1;
  QueryService service(options, {fake.registry, fake.clock, nullptr});
  HttpSite site = fake.site();
  site.workers = &workers;
  site.queries = &service;
  auto opened = HttpServer::open(io, {"127.0.0.1", 0}, std::move(site));
  ASSERT_TRUE(opened);
  const auto server = std::move(*opened);
  std::thread loop([&io] { io.run(); });
  std::vector<HttpPeer> queries;
  for (int i = 0; i < 3; ++i) {
    queries.emplace_back(server->local_endpoint());
    queries.back().send_get("/api/v1/query?series=cpu");
  }
  asked.get_future().wait();
  for (const char* target : {"/healthz", "/readyz", "/metrics", "/api/v1/status", "/api/v1/status/rejects"}) {
    HttpPeer peer(server->local_endpoint());
    peer.send_get(target);
    EXPECT_EQ(peer.receive().status, 200) << target;
  }
  disk.set_value();
  for (HttpPeer& query : queries) EXPECT_EQ(query.receive().status, 200);
  server->stop();
  loop.join();
}

TEST(HttpServerTest, PortIsFreeAfterStop) {
  FakeServices fake;
  RunningServer server(fake);
  HttpPeer peer(server.endpoint());
  peer.send_get("/healthz");
  ASSERT_EQ(peer.receive().status, 200);
  server.stop();
  EXPECT_TRUE(peer.sees_end());
  boost::asio::io_context io;
  EXPECT_TRUE(HttpServer::open(io, server.endpoint(), fake.site()).has_value());
}

TEST(HttpServerTest, StopLetsACurrentAnswerFinish) {
  FakeServices fake;
  std::promise<void> asked;
  std::promise<void> may_answer;
  fake.on_query = [&](const QueryRequest&) {
    asked.set_value();
    may_answer.get_future().wait();
    return small_answer();
  };
  RunningServer server(fake);
  HttpPeer peer(server.endpoint());
  peer.send_get("/api/v1/query?series=a");
  asked.get_future().wait();
  server.begin_stop();
  may_answer.set_value();
  EXPECT_EQ(peer.receive().status, 200);
  EXPECT_TRUE(peer.sees_end());
  peer.close();
  server.stop();
}

TEST(HttpServerTest, StopClosesIdleConnectionsAtOnce) {
  FakeServices fake;
  HttpOptions options;
  options.stop_grace = options.idle_timeout = options.header_timeout = std::chrono::hours(1);
  RunningServer server(fake, options);
  HttpPeer idle(server.endpoint());
  idle.send_get("/healthz");
  ASSERT_EQ(idle.receive().status, 200);
  HttpPeer in_header(server.endpoint());
  in_header.send("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\nGET / HT");
  ASSERT_EQ(in_header.receive().status, 200);
  server.begin_stop();
  EXPECT_TRUE(idle.sees_end());
  EXPECT_TRUE(in_header.sees_end());
}

TEST(HttpServerTest, StopDoesNotWaitLongForAPeerThatDoesNotRead) {
  FakeServices fake;
  fake.status_text.resize(kLongBodyBytes);
  HttpOptions options;
  options.stop_grace = Duration(100);
  RunningServer server(fake, options);
  HttpPeer peer(server.endpoint());
  peer.send_get("/api/v1/status");
  ASSERT_TRUE(peer.receive_some()) << "the answer is under way";
  const auto begin = std::chrono::steady_clock::now();
  server.stop();  // well before write_timeout, which is 30 s
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// Sends a request without its body, so that the connection is busy. Returns once the server has read it.
HttpPeer busy_peer(const Endpoint& server) {
  HttpPeer peer(server);
  peer.send("POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n");
  EXPECT_TRUE(peer.receive_some());
  return peer;
}

bool gets_answer(HttpPeer& peer) { return peer.send_get("/healthz") && peer.receive().status == 200; }

HttpOptions connection_limits(size_t all, size_t per_address) {
  HttpOptions options;
  options.connections_max = all;
  options.per_address_max = per_address;
  return options;
}

TEST(HttpServerTest, ConnectionsOverTheLimitGetAnErrorIfNoneIsIdle) {
  FakeServices fake;
  RunningServer server(fake, connection_limits(2, 2));
  const HttpPeer first = busy_peer(server.endpoint());
  const HttpPeer second = busy_peer(server.endpoint());
  HttpPeer third(server.endpoint());
  const PeerReply refused = third.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.body, "{\"error\":\"too many connections\",\"status\":503}\n");
  EXPECT_TRUE(third.sees_end());
  EXPECT_EQ(fake.reading("statmill.http_refused", "connection_limit"), 1);
}

TEST(HttpServerTest, ANewConnectionTakesThePlaceOfTheOneThatIsIdleForLongest) {
  FakeServices fake;
  RunningServer server(fake, connection_limits(3, 3), 1);
  HttpPeer first(server.endpoint());
  HttpPeer second(server.endpoint());
  HttpPeer third(server.endpoint());
  for (HttpPeer* peer : {&second, &first, &third}) {
    fake.clock.advance(std::chrono::seconds(1));
    ASSERT_TRUE(gets_answer(*peer));
    server.finish_steps();  // it is idle since now
  }
  HttpPeer fourth(server.endpoint());
  EXPECT_TRUE(gets_answer(fourth));
  EXPECT_TRUE(second.sees_end());
  EXPECT_TRUE(gets_answer(first));
  EXPECT_TRUE(gets_answer(third));
  EXPECT_EQ(fake.reading("statmill.http_refused", "idle_limit"), 1);
}

TEST(HttpServerTest, OneAddressLeavesRoomForOthers) {
  FakeServices fake;
  RunningServer server(fake, connection_limits(4, 2));
  std::vector<HttpPeer> many;
  for (int i = 0; i < 2; ++i) many.push_back(busy_peer(server.endpoint()));
  HttpPeer another(server.endpoint());
  EXPECT_EQ(another.receive().status, 503);
  EXPECT_EQ(fake.reading("statmill.http_refused", "address_limit"), 1);
  HttpPeer other(TcpConnection::to(server.endpoint(), "127.0.0.2"));
  EXPECT_TRUE(gets_answer(other));
}

// Silent connections cost nobody but their address its places.
TEST(HttpServerTest, SilentConnectionsOfOneAddressDoNotShutOutEvenThatAddress) {
  FakeServices fake;
  RunningServer server(fake, connection_limits(8, 4));
  HttpPeer other(TcpConnection::to(server.endpoint(), "127.0.0.2"));
  ASSERT_TRUE(gets_answer(other));
  std::vector<HttpPeer> silent;
  for (int i = 0; i < 40; ++i) silent.emplace_back(server.endpoint());
  HttpPeer late(server.endpoint());
  EXPECT_TRUE(gets_answer(late));
  EXPECT_TRUE(gets_answer(other));
}

TEST(HttpServerTest, AClosedConnectionMakesRoomForAnother) {
  FakeServices fake;
  HttpOptions options;
  options.connections_max = 1;
  RunningServer server(fake, options);
  {
    HttpPeer only(server.endpoint());
    only.send_get("/healthz");
    ASSERT_EQ(only.receive().status, 200);
  }
  int status = 503;
  for (int attempt = 0; attempt < 1000 && status != 200; ++attempt) {
    HttpPeer next(server.endpoint());
    next.send_get("/healthz");
    status = next.receive().status;
  }
  EXPECT_EQ(status, 200);
}

TEST(HttpServerTest, ConnectionsAreCounted) {
  FakeServices fake;
  RunningServer server(fake);
  HttpPeer peer(server.endpoint());
  peer.send_get("/healthz");
  ASSERT_EQ(peer.receive().status, 200);
  EXPECT_EQ(fake.reading("statmill.http_connections"), 1);
  EXPECT_EQ(fake.reading("statmill.http_requests", "200"), 1);
  peer.close();
  server.stop();
  EXPECT_EQ(fake.reading("statmill.http_connections"), 0);
}

// Keeps the soft limit of file descriptors at zero, so that every accept fails.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(HttpServerTest, AcceptsAgainAfterRunningOutOfDescriptors) {
  FakeServices fake;
  RunningServer server(fake);
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.endpoint().port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  {
    const NoDescriptors limit;
    ASSERT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    const auto deadline = std::chrono::steady_clock::now() + kSocketTimeout;
    while (fake.reading("statmill.http_accept_failures") < 1) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      std::this_thread::yield();
    }
  }
  HttpPeer peer(TcpConnection(std::move(socket)));
  peer.send_get("/healthz");
  EXPECT_EQ(peer.receive().status, 200);
}

}  // namespace
}  // namespace statmill
