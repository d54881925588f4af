// With few descriptors, connections never take those of the store.
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "tests/e2e/server_process.h"
#include "tests/support/sockets.h"

namespace statmill {
namespace {

// Three times as many connections as the process may have descriptors.
TEST(DescriptorsE2e, ConnectionsLeaveTheStoreItsDescriptors) {
  ServerProcess server(STATMILL_BIN, {"--graphite.listen", "127.0.0.1:0"});
  server.limit_open_files(128);
  server.start();
  std::vector<TcpConnection> connections;
  for (const Endpoint& port : {server.line(), server.listener("graphite"), server.agent(), server.http()}) {
    for (int i = 0; i < 60; ++i)
      connections.push_back(TcpConnection::to(port, i % 2 == 0 ? "127.0.0.1" : "127.0.0.2"));
  }
  // From an address that has no connection yet.
  TcpConnection prober = TcpConnection::to(server.http(), "127.0.0.3");
  ASSERT_TRUE(prober.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
  EXPECT_TRUE(prober.receive_all().starts_with("HTTP/1.1 200"));
  server.wait_until_durable();
  EXPECT_EQ(server.cli({"flush"}).status, 0) << "which writes new tables";
  EXPECT_GE(
      server.metric("statmill_line_connections_refused_total{listener=\"tcp\",reason=\"address_limit\"}"), 1);
  EXPECT_EQ(server.metric("statmill_http_accept_failures_total"), 0);
  connections.clear();
  const auto limit = std::chrono::steady_clock::now() + kSocketTimeout;
  while (server.metric("statmill_line_connections") > 0) ASSERT_LT(std::chrono::steady_clock::now(), limit);
  server.send("after 1\n");
  EXPECT_EQ(server.totals("after").at("after").count, 1);
  EXPECT_EQ(server.stop(), 0);
}

}  // namespace
}  // namespace statmill
