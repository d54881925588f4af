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

TEST(HttpE2e, ThePageComesFromAFolder) {
  const TempDirectory folder;
  folder.write("index.html", "<title>x</title>");
  ServerProcess server(STATMILL_BIN, {"--http.assets", folder.path().string()});
  server.start();
  const HttpReply page = http_get(server.http(), "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<title>x</title>");
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.header("Cache-Control"), "no-store");
  EXPECT_EQ(http_get(server.http(), "/nothing.js").status, 404);
  EXPECT_EQ(http_post(server.http(), "/nothing.js", "").status, 405);
  EXPECT_EQ(http_get(server.http(), "/healthz").body, "ok\n");
  EXPECT_NE(http_get(server.http(), "/api").body.find(" /api/v1/query "), std::string::npos);
  EXPECT_EQ(server.stop(), 0);
}

TEST(HttpE2e, TheFolderOfThePageMustExist) {
  ServerProcess server(STATMILL_BIN, {"--http.assets", "/nowhere"});
  EXPECT_FALSE(server.try_start(0, 0, {}));
  EXPECT_EQ(server.process().wait(), 2);
  EXPECT_NE(server.process().standard_error().find("http.assets /nowhere: is not a folder"),
            std::string::npos);
}

TEST(HttpE2e, ThePageOfTheBinaryIsAskedForAgain) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const HttpReply page = http_get(server.http(), "/");
  EXPECT_EQ(page.status, 200);
  const std::string etag = page.header("ETag");
  if (etag.empty()) {
    EXPECT_NE(page.body.find("This binary has no page: "), std::string::npos);
    EXPECT_EQ(server.stop(), 0);
    GTEST_SKIP() << page.body;
  }
  const HttpReply same = http_raw(
      server.http(),
      "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIf-None-Match: " + etag + "\r\n\r\n");
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, "");
  EXPECT_EQ(same.header("Content-Length"), "");
  EXPECT_EQ(server.stop(), 0);
}

}  // namespace
}  // namespace statmill
