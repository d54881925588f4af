// What the HTTP port of a real server answers to whom.
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>

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

TEST(HttpE2e, ABatchHasTheAnswersOfItsQueries) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const std::string at = std::to_string(std::time(nullptr) / 10 * 10 - 100);
  const std::string range = "&from=" + at + "&until=" + std::to_string(std::stoll(at) + 60) + "&step=10";
  const HttpReply sent =
      http_post(server.http(), "/api/v1/lines",
                "cpu.idle " + at + " 5\ncpu.user " + at + " 7\n%latency " + at + " 3\n*hits " + at + " 4\n");
  ASSERT_EQ(sent.status, 200) << sent.body;
  const auto batch = [&](const std::string& queries) {
    const std::string body = "{\"from\":" + at + ",\"until\":" + std::to_string(std::stoll(at) + 60) +
                             ",\"step\":10,\"queries\":[" + queries + "]}";
    return http_raw(server.http(),
                    "POST /api/v1/query HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
                    "application/json\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  const HttpReply reply = batch(R"json({"id":"a","series":["cpu.*"],"stats":["avg","max","count"]},
               {"id":"b","kind":"heatmap","series":["latency"],"stats":["count","p50"]},
               {"id":"c","expr":"sum(hits)"},{"id":"d","series":["gone","cpu.idle","gone too"]},
               {"id":"e","series":["gone"]},{"id":"f","kind":"heatmap","series":["gone"]},
               {"id":"g","kind":"heatmap","series":["cpu.idle"]},{"id":"h","expr":"sum("})json");
  ASSERT_EQ(reply.status, 200) << reply.body;
  const auto lines = split(reply.body, '\n');
  ASSERT_EQ(lines.size(), 10U) << reply.body;
  const auto answer = [](std::string_view line) {  // without id, status, ms and cost
    const size_t ms = line.find(",\"ms\":");
    line = line.substr(line.find(',', ms + 1) + 1);
    return std::string(line.substr(0, line.find(",\"cost\":")));
  };
  const auto alone = [&](const std::string& target) {
    const HttpReply got = http_get(server.http(), target + range);
    EXPECT_EQ(got.status, 200) << got.body;
    return got.body.substr(1, got.body.find(",\"cost\":") - 1);
  };
  EXPECT_EQ(answer(lines[0]), alone("/api/v1/query?series=cpu.*&stats=avg,max,count"));
  EXPECT_EQ(answer(lines[1]), alone("/api/v1/heatmap?series=latency&stats=count,p50"));
  EXPECT_EQ(answer(lines[2]), alone("/api/v1/query?expr=sum(hits)"));
  EXPECT_EQ(answer(lines[3]),
            alone("/api/v1/query?series=cpu.idle") + ",\"missing\":[\"gone\",\"gone too\"]");
  EXPECT_NE(lines[4].find(R"("series":[],"missing":["gone"])"), std::string_view::npos) << lines[4];
  EXPECT_NE(
      lines[5].find(
          R"("series":[],"count":[null,null,null,null,null,null],"buckets":[],"counts":[],"missing":["gone"])"),
      std::string_view::npos)
      << lines[5];
  EXPECT_TRUE(lines[6].starts_with(R"({"id":"g","status":404,)")) << lines[6];
  EXPECT_TRUE(lines[7].starts_with(R"({"id":"h","status":400,)")) << lines[7];
  EXPECT_TRUE(lines[8].starts_with(R"({"done":8,)")) << lines[8];
  EXPECT_EQ(http_get(server.http(), "/api/v1/query?series=gone").status, 404);
  EXPECT_EQ(http_get(server.http(), "/api/v1/query?series=gone&missing=maybe").status, 400);
  EXPECT_EQ(server.stop(), 0);
}

// Returns what comes up to `text`, or to the end of the connection.
std::string receive_until(TcpConnection& connection, std::string_view text) {
  std::string got;
  while (got.find(text) == std::string::npos) {
    const std::string part = connection.receive();
    if (part.empty()) break;
    got += part;
  }
  return got;
}

TcpConnection live_stream(const ServerProcess& server, const std::string& body) {
  TcpConnection stream = TcpConnection::to(server.http());
  EXPECT_TRUE(
      stream.send("POST /api/v1/live HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  "Content-Length: " +
                  std::to_string(body.size()) + "\r\n\r\n" + body));
  return stream;
}

TEST(HttpE2e, LiveStreamsShowSamplesAsTheyCome) {
  ServerProcess server(STATMILL_BIN, {"--http.live", "1"});
  server.start();
  TcpConnection stream = live_stream(server, R"({"series":["live.x","*no"]})");
  EXPECT_NE(receive_until(stream, "event: state\n").find("HTTP/1.1 200 OK"), std::string::npos);
  ASSERT_EQ(http_post(server.http(), "/api/v1/lines", "live.x 40.5\n").status, 200);
  EXPECT_NE(receive_until(stream, "\"sum\":40.5,\"count\":1,\"min\":40.5,\"max\":40.5}").find("{\"i\":0,"),
            std::string::npos);
  TcpConnection second = live_stream(server, R"({"series":["live.x"]})");
  EXPECT_NE(receive_until(second, "--http.live").find("HTTP/1.1 503 "), std::string::npos);
  EXPECT_EQ(server.metric("statmill_live_streams"), 1);
  stream.close();
  second.close();
  const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
  while (server.metric("statmill_live_streams") > 0 && std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_EQ(server.metric("statmill_live_streams"), 0);
  TcpConnection third = live_stream(server, R"({"series":["live.x"]})");
  receive_until(third, "event: slots\n");
  EXPECT_EQ(server.stop(), 0) << "an open stream does not keep the server";
  third.receive_all();
}

}  // namespace
}  // namespace statmill
