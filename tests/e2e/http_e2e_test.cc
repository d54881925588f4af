// What the HTTP port of a real server answers to whom.
#include <gtest/gtest.h>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

// Sends a request that names the server as `host`.
HttpReply ask_as(const ServerProcess& server, std::string_view host, std::string_view method = "GET",
                 std::string_view target = "/healthz") {
  const std::string request = std::string(method) + " " + std::string(target) +
                              " HTTP/1.1\r\nHost: " + std::string(host) +
                              "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  return http_raw(server.http(), request);
}

TEST(HttpE2e, OnlyOwnHostNamesAreServed) {
  ServerProcess server(STATMILL_BIN, {"--http.hosts", "stats.example.org", "--http.hosts", "nas"});
  server.start();
  const std::string port = ":" + std::to_string(server.http().port);
  for (const std::string host : {"localhost", "127.0.0.1", "[::1]", "stats.example.org", "NAS"}) {
    EXPECT_EQ(ask_as(server, host).status, 200) << host;
    EXPECT_EQ(ask_as(server, host + port).status, 200) << host;
  }
  EXPECT_EQ(ask_as(server, "evil.example" + port).status, 421);
  EXPECT_EQ(ask_as(server, "evil.example", "POST", "/api/v1/lines").status, 421);
  EXPECT_EQ(server.metric("statmill_http_refused_total{reason=\"unknown_host\"}"), 2);
  EXPECT_EQ(server.cli({"flush"}).status, 0) << "the admin socket has no name";
  EXPECT_EQ(server.stop(), 0);
}

}  // namespace
}  // namespace statmill
